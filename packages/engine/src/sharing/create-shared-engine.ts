import type { UIMessage } from 'ai'
import { assertOptions } from '../engine-options.ts'
import { createMessageEngine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import { assertOwner } from '../owner.ts'
import { createReporter } from '../report.ts'
import { channelNameOf } from './channel-name.ts'
import { sharingEnvironment } from './environment.ts'
import { shareEngine } from './share-engine.ts'
import type { SharedEngine, SharedEngineOptions } from './shared-engine.ts'

/**
 * Makes the engine of a conversation that may be open in several tabs. It runs in the tab that holds
 * the conversation's Web Lock; the others mirror it through a `BroadcastChannel`: the same states and
 * subscriptions, and methods that the holder carries out. When the holder's tab ends, whatever way,
 * another one takes over: it restores from `storage`, which all tabs must share, and shows what it
 * showed until then.
 *
 * In a mirror:
 * - payloads and results must be cloneable (`structuredClone`); the `cause` of errors stays in the
 *   holder's tab. `onData` is called there only.
 * - `processing` comes with the holder's answer, not in the same tick.
 * - a call whose holder ended before it answered is looked up in what was stored, and carried out by
 *   the next holder if it was not: messages sent, decisions and other repeatable commands, aborts and
 *   changes of the queue. Of anything else nobody knows: it answers `holder_lost`.
 * - while the holder's tab stands still (a dialog, a debugger), calls wait.
 *
 * A tab gives the conversation up when its page goes into the back/forward cache, and, when others
 * are there, when it is told that it is frozen in the background; back again it is a mirror at first.
 * One that is frozen without being told keeps the others waiting until it is thawed or discarded;
 * Chromium freezes no page by itself that holds a lock for which others wait.
 *
 * The lock keeps two tabs from acting, not a page from being killed in the middle of it: what had
 * started then is shown as interrupted. Who takes the lock by force (`steal`) has for a moment two
 * holders: the former one ends, and writes nothing any more, as soon as the browser tells it.
 *
 * Without Web Locks or channels (old browsers, insecure contexts, servers) it is a plain engine, and
 * says so once by `onError` (`sharing_unavailable`). Throws `invalid_argument` for options that
 * cannot work.
 */
export function createSharedEngine<MESSAGE extends UIMessage = UIMessage>(
  options: SharedEngineOptions<MESSAGE>,
): SharedEngine<MESSAGE> {
  const { locks, channel, permit, name, ...engineOptions } = options
  assertOptions(engineOptions)
  if ('owner' in options) assertOwner(options.owner)
  if (!options.id || !options.storage) {
    const text = 'A conversation that tabs share needs an id, and a storage that they share.'
    throw new EngineError('invalid_argument', text)
  }
  const environment = sharingEnvironment({
    ...(locks && { locks }),
    ...(channel && { channel }),
    ...(permit && { permit }),
  })
  if (environment)
    return shareEngine(engineOptions, name ?? channelNameOf(options.id, options.owner), environment)
  const text =
    'Web Locks or BroadcastChannel are missing: do not open a conversation in two tabs at once.'
  createReporter(options).report(new EngineError('sharing_unavailable', text))
  return Object.assign(createMessageEngine(engineOptions), {
    role: () => 'holder' as const,
    isDecidedElsewhere: () => false,
  })
}
