/** What the numbers of system calls mean; per kind of processor. */
interface CallNumbers {
  /** `AUDIT_ARCH_…` */
  readonly architecture: number
  readonly socket: number
  /** Keys of the person that belong to the session, not to a namespace. */
  readonly keys: readonly number[]
  /** Those that give a file its mode. */
  readonly modes: readonly ModeCall[]
  /** From here on they are those of another ABI. */
  readonly otherAbi?: number
}

/** A call with a mode among its arguments. */
interface ModeCall {
  readonly number: number
  /** Which of them it is. */
  readonly mode: number
  /** Which are flags: the mode counts only where they make a file. */
  readonly flags?: number
}

const NUMBERS: ReadonlyMap<string, CallNumbers> = new Map([
  [
    'x64',
    {
      architecture: 0xc000003e,
      socket: 41,
      keys: [248, 249, 250],
      // open, creat, chmod, fchmod, mknod, openat, mknodat, fchmodat, fchmodat2
      modes: [
        { number: 2, flags: 1, mode: 2 },
        { number: 85, mode: 1 },
        { number: 90, mode: 1 },
        { number: 91, mode: 1 },
        { number: 133, mode: 1 },
        { number: 257, flags: 2, mode: 3 },
        { number: 259, mode: 2 },
        { number: 268, mode: 2 },
        { number: 452, mode: 2 },
      ],
      otherAbi: 0x4000_0000,
    },
  ],
  [
    'arm64',
    {
      architecture: 0xc00000b7,
      socket: 198,
      keys: [217, 218, 219],
      // mknodat, fchmod, fchmodat, openat, fchmodat2
      modes: [
        { number: 33, mode: 2 },
        { number: 52, mode: 1 },
        { number: 53, mode: 2 },
        { number: 56, flags: 2, mode: 3 },
        { number: 452, mode: 2 },
      ],
    },
  ],
])

const IO_URING_SETUP = 425
/** Its flags and mode are in memory, where a filter cannot look: programs then take another call. */
const OPENAT2 = 437
/** `O_CREAT` and the own bit of `O_TMPFILE`. */
const MAKES_FILE = 0o100 | 0o20_000_000
/** `S_ISUID` and `S_ISGID`: whoever starts such a file is another user or group. */
const BECOMES_OTHER = 0o6000
const AF_UNIX = 1
const AF_VSOCK = 40
const EPERM = 1
const ENOSYS = 38

/** Where `struct seccomp_data` holds them. */
const NUMBER_AT = 0
const ARCHITECTURE_AT = 4
const FIRST_ARGUMENT_AT = 16
const argumentAt = (index: number) => FIRST_ARGUMENT_AT + 8 * index

const LOAD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_ANY_BIT = 0x45
const RETURN = 0x06

const KILL_PROCESS = 0x8000_0000
const ALLOW = 0x7fff_0000
const refuse = (errno: number) => 0x0005_0000 + errno

type Step =
  | { readonly load: number }
  /** Ends with an answer when the value is the same, or at least that. */
  | {
      readonly when: 'equal' | 'at-least' | 'any-bit'
      readonly value: number
      readonly answer: number
    }
  | { readonly unless: number; readonly answer: number }
  | { readonly unlessBits: number; readonly answer: number }
  /** Steps for one value, of which the last one is an answer. */
  | { readonly only: number; readonly steps: readonly Step[] }
  | { readonly answer: number }

/**
 * A program for the kernel (`bwrap --seccomp`) that refuses what reaches out of a namespace of the
 * network: sockets of Unix and of virtual machines, `io_uring`, which can make sockets too, and keys
 * of the session. And what would leave a file behind that makes whoever starts it another user. None for a
 * processor whose numbers are not known.
 */
export function seccompFilter(
  processor: string,
  { hasUnixSockets = false } = {},
): Buffer | undefined {
  const numbers = NUMBERS.get(processor)
  if (!numbers) return undefined
  const { architecture, socket, keys, modes, otherAbi } = numbers
  const families = hasUnixSockets ? [AF_VSOCK] : [AF_UNIX, AF_VSOCK]
  const steps: Step[] = [
    { load: ARCHITECTURE_AT },
    { unless: architecture, answer: KILL_PROCESS },
    { load: NUMBER_AT },
    ...(otherAbi === undefined
      ? []
      : [{ when: 'at-least' as const, value: otherAbi, answer: refuse(EPERM) }]),
    ...[IO_URING_SETUP, OPENAT2].map((value) => ({
      when: 'equal' as const,
      value,
      answer: refuse(ENOSYS),
    })),
    ...keys.map((value) => ({ when: 'equal' as const, value, answer: refuse(EPERM) })),
    ...modes.map(modeSteps),
    { unless: socket, answer: ALLOW },
    { load: FIRST_ARGUMENT_AT },
    ...families.map((value) => ({ when: 'equal' as const, value, answer: refuse(EPERM) })),
    { answer: ALLOW },
  ]
  return Buffer.concat(steps.map(encode))
}

function modeSteps({ number, mode, flags }: ModeCall): Step {
  const makes: Step[] =
    flags === undefined
      ? []
      : [{ load: argumentAt(flags) }, { unlessBits: MAKES_FILE, answer: ALLOW }]
  return {
    only: number,
    steps: [
      ...makes,
      { load: argumentAt(mode) },
      { when: 'any-bit', value: BECOMES_OTHER, answer: refuse(EPERM) },
      { answer: ALLOW },
    ],
  }
}

const JUMPS = {
  equal: JUMP_IF_EQUAL,
  'at-least': JUMP_IF_AT_LEAST,
  'any-bit': JUMP_IF_ANY_BIT,
} as const

function encode(step: Step): Buffer {
  if ('load' in step) return instruction(LOAD, 0, 0, step.load)
  if ('when' in step) {
    return Buffer.concat([instruction(JUMPS[step.when], 0, 1, step.value), answer(step.answer)])
  }
  if ('only' in step) {
    const inner = Buffer.concat(step.steps.map(encode))
    const skip = inner.length / INSTRUCTION_BYTES
    return Buffer.concat([instruction(JUMP_IF_EQUAL, 0, skip, step.only), inner])
  }
  if ('unlessBits' in step) {
    const { unlessBits } = step
    return Buffer.concat([instruction(JUMP_IF_ANY_BIT, 1, 0, unlessBits), answer(step.answer)])
  }
  if ('unless' in step) {
    return Buffer.concat([instruction(JUMP_IF_EQUAL, 1, 0, step.unless), answer(step.answer)])
  }
  return answer(step.answer)
}

const INSTRUCTION_BYTES = 8

const answer = (value: number) => instruction(RETURN, 0, 0, value)

/** One `struct sock_filter`. */
function instruction(code: number, ifTrue: number, ifFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(INSTRUCTION_BYTES)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
