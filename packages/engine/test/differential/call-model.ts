import type { UIMessageChunk } from 'ai'
import type { Option } from './option.ts'
import { PLAIN_INPUTS, PROVIDER_METADATA, VALUES } from './random-values.ts'
import type { Tape } from './tape.ts'

const CALL_IDS = ['a', 'b', 'c', '__proto__', 'constructor']
const TOOLS = ['weather', 'write-file', 'toString']

type State =
  | 'input-streaming'
  | 'input-available'
  | 'approval-requested'
  | 'approval-responded'
  | 'settled'

interface Call {
  readonly id: string
  readonly step: number
  readonly dynamic: boolean
  toolName: string
  state: State
  /** Whether deltas may come. */
  isOpen: boolean
  /** The text of the input that has not been sent yet. */
  rest: string
  input: unknown
  approvalId?: string
  approved?: boolean
}

/** Where the tool calls of a random stream stand, and which chunks about them are valid. */
export class CallModel {
  readonly #tape: Tape
  #calls: Call[] = []
  #step = 0
  #approvals = 0

  constructor(tape: Tape) {
    this.#tape = tape
  }

  startStep(): void {
    this.#step++
  }

  resetStep(): void {
    this.#calls = this.#calls.filter(({ step }) => step !== this.#step)
    for (const call of this.#calls) call.isOpen = false
  }

  clear(): void {
    this.#calls = []
    this.#step = 0
  }

  resume(): void {
    for (const call of this.#calls) {
      call.isOpen = call.state === 'input-streaming' && call.step === this.#step
    }
  }

  options(): Option[] {
    const tape = this.#tape
    const inStep = this.#calls.filter(({ step }) => step === this.#step)
    const streaming = inStep.filter(({ isOpen }) => isOpen)
    const complete = inStep.filter(({ state }) => state === 'input-available')
    const named = [...new Map(this.#calls.map((call) => [call.id, call])).values()]
    const askable = named.filter(({ state }) =>
      ['input-available', 'approval-requested'].includes(state),
    )
    const asked = this.#calls.filter(({ state }) => state.startsWith('approval'))
    const decided = named.filter(({ state }) => state === 'approval-responded')
    const options: Option[] = []
    const offer = <T extends object | string>(
      weight: number,
      from: readonly T[],
      make: (one: T) => UIMessageChunk,
    ) => {
      if (from.length > 0) options.push([weight, () => make(tape.pick(from))])
    }
    offer(4, this.#freeIds(inStep), (id) => this.#start(this.#add(id, tape.once(3))))
    offer(1, streaming, (call) => this.#start(call))
    offer(12, streaming, (call) => this.#delta(call))
    offer(4, streaming, (call) => this.#available(call, this.#repairedName(call)))
    offer(1, streaming, (call) => this.#inputError(call, tape.once(2)))
    offer(2, this.#idsWithoutStart(inStep), (id) => this.#available(this.#add(id, tape.once(3))))
    offer(1, this.#idsWithoutStart(inStep), (id) => {
      const dynamic = tape.once(2)
      return this.#inputError(this.#add(id, dynamic), dynamic)
    })
    offer(1, complete, (call) => this.#inputError(call, false, true))
    offer(8, askable, (call) => this.#request(call))
    offer(8, asked, (call) => this.#respond(call))
    for (const [weight, from] of [
      [1, named],
      [3, decided],
    ] as const) {
      offer(2 * weight, from, (call) => this.#output(call))
      offer(weight, from, (call) => this.#outputError(call))
      offer(weight, from, (call) => this.#denied(call))
    }
    return options
  }

  #freeIds(inStep: readonly Call[]): string[] {
    return CALL_IDS.filter((id) => !inStep.some((call) => call.id === id))
  }

  /** An id whose input still streams in an earlier step needs a start to be another call. */
  #idsWithoutStart(inStep: readonly Call[]): string[] {
    return this.#freeIds(inStep).filter(
      (id) => !this.#calls.some((call) => call.id === id && call.isOpen),
    )
  }

  #add(id: string, dynamic: boolean): Call {
    for (const call of this.#calls) if (call.id === id) call.isOpen = false
    const call: Call = {
      id,
      step: this.#step,
      dynamic,
      toolName: this.#tape.pick(TOOLS),
      state: 'input-streaming',
      isOpen: false,
      rest: '',
      input: undefined,
    }
    this.#calls.push(call)
    return call
  }

  #start(call: Call): UIMessageChunk {
    const tape = this.#tape
    const isText = tape.once(5)
    call.isOpen = true
    call.rest = isText ? tape.pick(PLAIN_INPUTS) : JSON.stringify(tape.pick(VALUES))
    return {
      type: 'tool-input-start',
      toolCallId: call.id,
      toolName: call.toolName,
      ...(isText ? { inputEncoding: 'text' } : tape.once(4) ? { inputEncoding: 'json' } : {}),
      ...(call.dynamic ? { dynamic: true } : {}),
      ...this.#extras(),
      ...(tape.once(4) ? { title: tape.pick(['Weather', 'Write']) } : {}),
    }
  }

  #delta(call: Call): UIMessageChunk {
    const length = this.#tape.count(9)
    const inputTextDelta = call.rest.slice(0, length)
    call.rest = call.rest.slice(length)
    return { type: 'tool-input-delta', toolCallId: call.id, inputTextDelta }
  }

  /** The AI SDK may repair a call by giving it another tool. */
  #repairedName(call: Call): string {
    return this.#tape.once(4) ? this.#tape.pick(TOOLS) : call.toolName
  }

  #available(call: Call, toolName = call.toolName): UIMessageChunk {
    call.toolName = toolName
    call.input = this.#tape.pick(VALUES)
    call.state = 'input-available'
    call.isOpen = false
    return {
      type: 'tool-input-available',
      toolCallId: call.id,
      toolName,
      input: call.input,
      ...(call.dynamic ? { dynamic: true } : {}),
      ...this.#extras(),
      ...(this.#tape.once(4) ? { title: 'Tool' } : {}),
    }
  }

  #inputError(call: Call, dynamic: boolean, isRepeated = false): UIMessageChunk {
    const input = isRepeated ? call.input : this.#tape.pick([...VALUES, '{"not json'])
    return this.#settle(call, {
      type: 'tool-input-error',
      toolCallId: call.id,
      toolName: call.toolName,
      input,
      errorText: 'not what the tool takes',
      ...(dynamic ? { dynamic } : {}),
      ...this.#extras(),
      ...(this.#tape.once(4) ? { title: 'Tool' } : {}),
    })
  }

  #request(call: Call): UIMessageChunk {
    const tape = this.#tape
    const isSame = call.approvalId !== undefined && tape.once(2)
    const approvalId = (isSame && call.approvalId) || `approval-${this.#approvals++}`
    call.state = 'approval-requested'
    call.approvalId = approvalId
    return {
      type: 'tool-approval-request',
      approvalId,
      toolCallId: call.id,
      ...(tape.once(3) ? { approvalDescriptor: tape.pick([{ risk: 'write' }, null]) } : {}),
      ...(tape.once(4) ? { inputSchemaInput: tape.pick([{ raw: 1 }, null]) } : {}),
      ...(tape.once(3) ? { reason: 'writes a file' } : {}),
      ...(tape.once(3) ? { isAutomatic: tape.once(2) } : {}),
      ...(tape.once(3) ? { signature: 'signed' } : {}),
    }
  }

  #respond(call: Call): UIMessageChunk {
    const tape = this.#tape
    call.approved = call.state === 'approval-responded' ? call.approved === true : tape.once(2)
    call.state = 'approval-responded'
    return {
      type: 'tool-approval-response',
      approvalId: call.approvalId ?? '',
      approved: call.approved,
      ...(tape.once(3) ? { reason: 'as I said' } : {}),
      ...(tape.once(4) ? { providerExecuted: tape.once(2) } : {}),
      ...(tape.once(4) ? { providerMetadata: PROVIDER_METADATA } : {}),
    }
  }

  #output(call: Call): UIMessageChunk {
    return this.#settle(call, {
      type: 'tool-output-available',
      toolCallId: call.id,
      output: this.#tape.pick(VALUES),
      ...(this.#tape.once(2) ? { preliminary: true } : {}),
      ...this.#extras(),
    })
  }

  #outputError(call: Call): UIMessageChunk {
    return this.#settle(call, {
      type: 'tool-output-error',
      toolCallId: call.id,
      errorText: this.#tape.pick(['failed', '']),
      ...this.#extras(),
    })
  }

  #denied(call: Call): UIMessageChunk {
    return this.#settle(call, { type: 'tool-output-denied', toolCallId: call.id })
  }

  #settle(call: Call, chunk: UIMessageChunk): UIMessageChunk {
    call.state = 'settled'
    call.isOpen = false
    return chunk
  }

  #extras(): { providerExecuted?: boolean; providerMetadata?: typeof PROVIDER_METADATA } {
    const tape = this.#tape
    return {
      ...(tape.once(5) ? { providerExecuted: tape.once(2) } : {}),
      ...(tape.once(4) ? { providerMetadata: PROVIDER_METADATA } : {}),
      ...(tape.once(4) ? { toolMetadata: { server: tape.pick(['one', 'two']) } } : {}),
    }
  }
}
