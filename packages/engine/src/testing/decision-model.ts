/** What a rule says about a call; `fail` throws. */
export type RuleAnswer = 'none' | 'allow' | 'ask' | 'deny' | 'fail'

/** What is known of a call from the moment in which it is streamed. Inputs are named by number. */
export interface CallFacts {
  readonly uid: string
  readonly tool: string
  /** Where a person has edited it, the one that was approved. */
  input: number
  /** The server that runs it asks for it. */
  readonly isGuarded: boolean
  readonly isDestroy: boolean
  /** Until when a server takes a yes, in milliseconds. */
  readonly expiresAt: number
  /** It cannot run: no tool has its name, or another call of its step has its id. */
  readonly isNever: boolean
}

/** What a person says to a call. */
export interface Answer {
  readonly id: string
  readonly outcome: 'yes' | 'yes_always' | 'no'
  /** The input that was approved, which the call has from then on. */
  readonly input: number
  readonly scope: Scope | undefined
}

/** What a `yes_always` covers, and for how long. */
export interface Scope {
  readonly matches: 'all' | 'same' | readonly number[]
  readonly isEverywhere: boolean
  readonly until: number
  readonly uses: number
}

export interface Call extends CallFacts {
  /** What the rules said last. */
  rule: RuleAnswer | undefined
  answer: Answer | undefined
  /** That approved it. */
  policy: Policy | undefined
  isAsked: boolean
  /** It may wait although a policy covers it: nobody looks again before the next decision. */
  mayWait: boolean
  /** Its policy ended by what a crash has left of it, which nobody looks at before the next decision. */
  isLapsed: boolean
  /** The input that was approved, when another one was put in its place since. */
  changedFrom: number | undefined
  /** The rules were asked about it after the last person was. */
  isChecked: boolean
  isStarted: boolean
  /** It has its result. */
  isOver: boolean
  /** It had started, and had no result, when its engine ended. */
  isCut: boolean
}

export interface Policy extends Scope {
  readonly id: string
  /** The call that it was given on. */
  readonly uid: string
  readonly tool: string
  readonly input: number
  readonly conversation: string
  readonly schema: number
  used: number
  isRevoked: boolean
  /** The history says so. */
  isVoid: boolean
  /** The call that it was given on failed. */
  isFailed: boolean
  /** What suspends it, by the ids of their records: everything was stopped. */
  readonly suspensions: Set<string>
}

/** What a call may do, and by whose word. */
export interface Verdict {
  readonly says: 'run' | 'ask' | 'deny'
  readonly by: 'rule' | 'person' | 'policy'
}

/** What the model knew at one moment. */
export interface ModelMemory {
  readonly calls: ReadonlyMap<string, Call>
  readonly policies: ReadonlyMap<string, Policy>
}

/** The reference: which decisions and policies there are, and so what may run. Knows no engine. */
export class DecisionModel {
  readonly calls = new Map<string, Call>()
  readonly policies = new Map<string, Policy>()
  /** The calls that policies have approved, in that order; one may be there again. */
  readonly uses: string[] = []
  conversation = 'conversation 1'
  /** Counts the changes of what tools take, by tool. */
  readonly schemas = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  called(facts: CallFacts): void {
    const news = { rule: undefined, answer: undefined, policy: undefined }
    const asked = { isAsked: false, mayWait: false, changedFrom: undefined, isChecked: false }
    const begun = { isStarted: false, isOver: false, isCut: false, isLapsed: false }
    this.calls.set(facts.uid, { ...facts, ...news, ...asked, ...begun })
  }

  ruled(uid: string, rule: RuleAnswer): void {
    const call = this.calls.get(uid)
    if (call) Object.assign(call, { rule, isChecked: true })
  }

  /** The call has its result. What was allowed for ever on a call that failed is so no longer. */
  settled(uid: string, isFailed: boolean): void {
    const call = this.calls.get(uid)
    if (call) Object.assign(call, { isOver: true, isAsked: false })
    for (const policy of this.policies.values()) {
      const isOwn = policy.uid === uid && policy.conversation === this.conversation
      policy.isFailed ||= isFailed && isOwn
    }
  }

  /** Deny beats ask beats allow; only what a person said lowers an ask, now or as a policy. */
  verdict(call: Call): Verdict {
    if (call.rule === 'deny') return { says: 'deny', by: 'rule' }
    if (call.changedFrom !== undefined) return { says: 'ask', by: 'rule' }
    if (call.answer) return { says: call.answer.outcome === 'no' ? 'deny' : 'run', by: 'person' }
    if (call.rule === 'fail') return { says: 'ask', by: 'rule' }
    if (!this.#needsWord(call)) return { says: 'run', by: 'rule' }
    const isApproved = call.policy ? this.isAlive(call.policy) : this.covering(call) !== undefined
    return isApproved ? { says: 'run', by: 'policy' } : { says: 'ask', by: 'rule' }
  }

  /** Somebody changes the input of a call that may have been approved. */
  changed(call: Call, input: number): void {
    const { answer, policy, changedFrom = call.input } = call
    const isOther = input !== changedFrom && (answer ?? policy) !== undefined
    Object.assign(call, { input, changedFrom: isOther ? changedFrom : undefined })
    call.mayWait ||= call.isAsked
  }

  /**
   * Another engine goes on: what waits then waits for a person, whatever stands by then, and the rules
   * are to be asked anew.
   *
   * @param hasRun whether a call has taken effect
   */
  restarted(hasRun: (call: Call) => boolean): void {
    for (const call of this.calls.values()) {
      call.mayWait ||= call.isAsked
      call.isChecked = false
      call.isCut ||= !call.isOver && (call.isStarted || hasRun(call))
    }
  }

  /** All that is known of calls and policies now. */
  remember(): ModelMemory {
    return structuredClone({ calls: this.calls, policies: this.policies })
  }

  /** Goes back to what was known before. */
  recall(memory: ModelMemory): void {
    const { calls, policies } = structuredClone(memory)
    this.calls.clear()
    this.policies.clear()
    for (const [uid, call] of calls) this.calls.set(uid, call)
    for (const [id, policy] of policies) this.policies.set(id, policy)
  }

  /** A person is asked. Answers whether there is a reason to. */
  asked(call: Call): boolean {
    const isDead = call.policy !== undefined && !this.isAlive(call.policy)
    const isDue = this.verdict(call).says === 'ask' || call.rule === 'fail' || isDead
    call.mayWait ||= isDead || call.changedFrom !== undefined
    // What the rules said in this very moment was about a call that was approved.
    if (isDead && (call.rule === 'fail' || call.rule === 'deny')) call.rule = 'ask'
    const none = { answer: undefined, policy: undefined, changedFrom: undefined }
    // What was about to start has not: it was compared once more, right before its tool.
    Object.assign(call, { ...none, isAsked: true, isLapsed: false, isStarted: false })
    return isDue
  }

  /** A person's word counts. */
  answered(call: Call, answer: Answer): void {
    const { id, input, scope } = answer
    Object.assign(call, { answer, input, isAsked: false, isChecked: false })
    if (!scope) return
    const { uid, tool } = call
    const { conversation } = this
    const given = { id, uid, tool, input, conversation, schema: this.schemaOf(tool) }
    const fresh = {
      isRevoked: false,
      isVoid: false,
      isFailed: false,
      suspensions: new Set<string>(),
    }
    this.policies.set(id, { ...scope, ...given, used: 0, ...fresh })
  }

  /** A policy approved a call. Answers whether it was the one to do so. */
  used(call: Call, policy: Policy): boolean {
    const isApproved = call.answer ?? (call.policy && this.isAlive(call.policy))
    const isDue = call.changedFrom !== undefined || (this.#needsWord(call) && !isApproved)
    const isFirst = policy === this.covering(call)
    const isChecked = call.isChecked && !call.isAsked
    const none = { answer: undefined, changedFrom: undefined }
    Object.assign(call, { ...none, policy, isAsked: false, isChecked })
    policy.used++
    this.uses.push(call.uid)
    return isDue && isFirst
  }

  /** The first standing policy for a call. */
  covering(call: Call): Policy | undefined {
    if (this.#now() >= call.expiresAt) return undefined
    const isStanding = (policy: Policy) => this.isAlive(policy) && policy.used < policy.uses
    return this.covers(call).find(isStanding)
  }

  /** All policies for a call, standing or not. */
  covers({ tool, input, isDestroy }: CallFacts): Policy[] {
    return [...this.policies.values()].filter((policy) => {
      if (policy.tool !== tool) return false
      if (policy.matches === 'same') return policy.input === input
      return !isDestroy && (policy.matches === 'all' || policy.matches.includes(input))
    })
  }

  /** What it approved may start: also when that used it up. */
  isAlive(policy: Policy): boolean {
    const { isRevoked, isVoid, isFailed, until, isEverywhere, conversation, tool, schema } = policy
    const isHere = isEverywhere || conversation === this.conversation
    const isOut = isRevoked || isVoid || isFailed || policy.suspensions.size > 0
    const isEnded = isOut || this.#now() >= until
    return !isEnded && isHere && schema === this.schemaOf(tool)
  }

  /** Whether somebody asked for a person's word, which rules alone do not take back. */
  #needsWord({ isGuarded, rule, isAsked, policy }: Call): boolean {
    return isGuarded || rule === 'ask' || isAsked || policy !== undefined
  }

  /** What holds everywhere is read after all else: the order is that of the history. */
  reorder(ids: readonly string[]): void {
    const policies = ids.flatMap((id) => this.policies.get(id) ?? [])
    this.policies.clear()
    for (const policy of policies) this.policies.set(policy.id, policy)
  }

  schemaOf(tool: string): number {
    return this.schemas.get(tool) ?? 0
  }
}
