/** What the numbers of system calls mean; per kind of processor. */
interface CallNumbers {
  /** `AUDIT_ARCH_…` */
  readonly architecture: number
  readonly socket: number
  /** Keys of the person that belong to the session, not to a namespace. */
  readonly keys: readonly number[]
  /** From here on they are those of another ABI. */
  readonly otherAbi?: number
}

const NUMBERS: ReadonlyMap<string, CallNumbers> = new Map([
  ['x64', { architecture: 0xc000003e, socket: 41, keys: [248, 249, 250], otherAbi: 0x4000_0000 }],
  ['arm64', { architecture: 0xc00000b7, socket: 198, keys: [217, 218, 219] }],
])

const IO_URING_SETUP = 425
const AF_UNIX = 1
const AF_VSOCK = 40
const EPERM = 1
const ENOSYS = 38

/** Where `struct seccomp_data` holds them. */
const NUMBER_AT = 0
const ARCHITECTURE_AT = 4
const FIRST_ARGUMENT_AT = 16

const LOAD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const RETURN = 0x06

const KILL_PROCESS = 0x8000_0000
const ALLOW = 0x7fff_0000
const refuse = (errno: number) => 0x0005_0000 + errno

type Step =
  | { readonly load: number }
  /** Ends with an answer when the value is the same, or at least that. */
  | { readonly when: 'equal' | 'at-least'; readonly value: number; readonly answer: number }
  | { readonly unless: number; readonly answer: number }
  | { readonly answer: number }

/**
 * A program for the kernel (`bwrap --seccomp`) that refuses what reaches out of a namespace of the
 * network: sockets of Unix and of virtual machines, `io_uring`, which can make sockets too, and keys
 * of the session. None for a processor whose numbers are not known.
 */
export function seccompFilter(
  processor: string,
  { hasUnixSockets = false } = {},
): Buffer | undefined {
  const numbers = NUMBERS.get(processor)
  if (!numbers) return undefined
  const { architecture, socket, keys, otherAbi } = numbers
  const families = hasUnixSockets ? [AF_VSOCK] : [AF_UNIX, AF_VSOCK]
  const steps: Step[] = [
    { load: ARCHITECTURE_AT },
    { unless: architecture, answer: KILL_PROCESS },
    { load: NUMBER_AT },
    ...(otherAbi === undefined
      ? []
      : [{ when: 'at-least' as const, value: otherAbi, answer: refuse(EPERM) }]),
    { when: 'equal', value: IO_URING_SETUP, answer: refuse(ENOSYS) },
    ...keys.map((value) => ({ when: 'equal' as const, value, answer: refuse(EPERM) })),
    { unless: socket, answer: ALLOW },
    { load: FIRST_ARGUMENT_AT },
    ...families.map((value) => ({ when: 'equal' as const, value, answer: refuse(EPERM) })),
    { answer: ALLOW },
  ]
  return Buffer.concat(steps.map(encode))
}

function encode(step: Step): Buffer {
  if ('load' in step) return instruction(LOAD, 0, 0, step.load)
  if ('when' in step) {
    const jump = step.when === 'equal' ? JUMP_IF_EQUAL : JUMP_IF_AT_LEAST
    return Buffer.concat([instruction(jump, 0, 1, step.value), answer(step.answer)])
  }
  if ('unless' in step) {
    return Buffer.concat([instruction(JUMP_IF_EQUAL, 1, 0, step.unless), answer(step.answer)])
  }
  return answer(step.answer)
}

const answer = (value: number) => instruction(RETURN, 0, 0, value)

/** One `struct sock_filter`. */
function instruction(code: number, ifTrue: number, ifFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
