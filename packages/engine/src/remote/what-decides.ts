import type { UIMessage } from 'ai'
import type { PluginCommandMap } from '../commands.ts'
import type { CallRequest } from '../sharing/calls.ts'

/**
 * What the commands of the tool plugin do with the word of a person.
 *
 * - `decides` it may let something run, take that back, or answer in place of a tool
 * - `stops` it can only keep something from running: anybody may, as with `abort` and `stopAll`
 * - `reads` it changes nothing
 */
const COMMANDS: Readonly<Record<keyof PluginCommandMap['tool'], 'decides' | 'stops' | 'reads'>> = {
  resumeToolCall: 'decides',
  resumeToolCalls: 'decides',
  submitToolOutput: 'decides',
  revokePolicy: 'decides',
  resumePolicies: 'decides',
  cancelToolCall: 'stops',
  readToolOutput: 'reads',
  readInputSchema: 'reads',
}

/**
 * What else a page can ask of the one that leads.
 *
 * - `free` it decides nothing
 * - `messages` it brings messages, in which a call may be answered
 */
const METHODS: Readonly<
  Record<Exclude<CallRequest<UIMessage>['method'], 'runPluginCommand'>, 'free' | 'messages'>
> = {
  sendMessage: 'messages',
  editMessage: 'messages',
  editQueued: 'messages',
  setMessages: 'messages',
  regenerate: 'free',
  retry: 'free',
  reconnect: 'free',
  abort: 'free',
  stopAll: 'free',
  loadEarlier: 'free',
  removeQueued: 'free',
  sendQueued: 'free',
  moveQueued: 'free',
  holdQueued: 'free',
  setDraft: 'free',
}

/**
 * Whether what a page asks for decides about tool calls, or may: what nobody knows does.
 *
 * @param request as pages say it to each other; of any form
 */
export function decides(request: unknown): boolean {
  const { method, plugin, command } = Object(request)
  if (method !== 'runPluginCommand') {
    const brings = look(METHODS, method)
    return brings === undefined || (brings === 'messages' && messagesIn(request).some(hasCall))
  }
  return plugin !== 'tool' || (look(COMMANDS, command) ?? 'decides') === 'decides'
}

/** The messages that a request brings along. */
export function messagesIn(request: unknown): readonly unknown[] {
  const { message, messages } = Object(request)
  return [message ?? [], messages ?? []].flat()
}

function hasCall(message: unknown): boolean {
  const { parts } = Object(message)
  return Array.isArray(parts) && parts.some((part) => 'toolCallId' in Object(part))
}

/** By own keys alone: `constructor` is no command. */
function look<VALUE>(table: Readonly<Record<string, VALUE>>, key: unknown): VALUE | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined
}
