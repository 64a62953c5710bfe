import type { UIMessage } from 'ai'
import { isToolCallPart, toolNameOf, type ToolCallPart } from '../../message/tool-part.ts'
import { setupFaults, withOther, wrapped, type Fault } from './fault.ts'
import type { ApprovalHandler, ApprovalRoute, OpenHandler, RouteSetup } from './server-site.ts'

/** A request as a fault sees it, and may change it. */
interface Posted {
  id: string
  messages: UIMessage[]
  user: string
}

type Open<ROUTE> = (setup: RouteSetup) => ROUTE | Promise<ROUTE>

/** Changes what is posted before it is looked at. */
function posting<ROUTE extends ApprovalRoute>(change: (posted: Posted) => void) {
  return (open: Open<ROUTE>): Open<ROUTE> =>
    async (setup) => {
      const route = await open(setup)
      const fetch = async (request: Request) => {
        const posted = await read(request)
        change(posted)
        const { user, ...body } = posted
        const headers = { ...Object.fromEntries(request.headers), 'x-user': user }
        return route.fetch(
          new Request(request.url, { method: 'POST', headers, body: JSON.stringify(body) }),
        )
      }
      return withOther<ApprovalRoute, ROUTE>(route, { fetch })
    }
}

/** Runs what is posted as approved, where what is right does not. */
function lenient<ROUTE extends ApprovalRoute>(open: Open<ROUTE>): Open<ROUTE> {
  return async (setup) => {
    let ran = 0
    const tools = wrapped(setup.tools, (run, input) => {
      ran++
      return run(input)
    })
    const route = await open({ ...setup, tools })
    const fetch = async (request: Request) => {
      const before = ran
      const { messages } = await read(request)
      const response = await route.fetch(request)
      const text = await response.text()
      for (const part of ran === before ? approvedIn(messages) : []) {
        const { toolCallId, input } = part
        const options = { toolCallId, messages: [], context: undefined }
        await setup.tools[toolNameOf(part)]?.execute?.(input, options)
      }
      return new Response(text, response)
    }
    return withOther<ApprovalRoute, ROUTE>(route, { fetch })
  }
}

/** Mistakes of routes. */
export function routeFaults<ROUTE extends ApprovalRoute>(): Fault<Open<ROUTE>>[] {
  return [
    ...setupFaults<RouteSetup, ROUTE | Promise<ROUTE>>(),
    {
      name: 'runs what was denied',
      breaks: 'a no is final',
      make: posting(({ messages }) => {
        for (const { approval } of decidedIn(messages)) {
          if (approval) Object.assign(approval, { approved: true })
        }
      }),
    },
    {
      name: 'takes a yes that nobody asked for',
      breaks: 'an approval that nobody asked for runs nothing',
      make: lenient,
    },
  ]
}

/** Mistakes of handlers. */
export const handlerFaults: readonly Fault<OpenHandler>[] = [
  ...routeFaults<ApprovalHandler>(),
  { name: 'takes a yes again', breaks: 'an approval is used once', make: lenient },
  {
    name: 'takes the yes of another user',
    breaks: 'an approval holds for one user and one conversation',
    make: posting((posted) => void (posted.user = 'ada')),
  },
  {
    name: 'takes a yes in another conversation',
    breaks: 'an approval holds for one user and one conversation',
    make: posting((posted) => void (posted.id = 'chat')),
  },
  {
    name: 'does not look at the time',
    breaks: 'an approval expires',
    make: (open) => async (setup) =>
      withOther<ApprovalHandler>(await open(setup), { expire: () => undefined }),
  },
  {
    name: 'does not wait for the rest of a step',
    breaks: 'a step waits until all of it is decided',
    make: lenient,
  },
]

async function read(request: Request): Promise<Posted> {
  // The kit has posted it.
  const { id, messages }: Posted = await request.clone().json()
  return { id, messages, user: request.headers.get('x-user') ?? '' }
}

function decidedIn(messages: readonly UIMessage[]): ToolCallPart[] {
  const parts: readonly UIMessage['parts'][number][] = messages.at(-1)?.parts ?? []
  return parts.filter(isToolCallPart).filter(({ state }) => state === 'approval-responded')
}

function approvedIn(messages: readonly UIMessage[]): ToolCallPart[] {
  return decidedIn(messages).filter(({ approval }) => approval?.approved === true)
}
