import { toolPlugin } from '@assent/engine'
import {
  answer,
  callTools,
  scriptedTransport,
  type ScriptedTransport,
} from '@assent/engine/testing'
import { useMessage, type UseMessageReturn } from '@assent/vue'
import type { ToolSet, UIMessage } from 'ai'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, nextTick } from 'vue'
import { z } from 'zod'
import { AsChat, AsConfigProvider, type AsConfigProviderProps } from '../src/index.ts'
import '../src/style/index.css'

/** A real conversation whose tools ask; only the model is scripted. */
export interface ApprovalChat {
  readonly chat: UseMessageReturn
  readonly transport: ScriptedTransport
  /** What the tools did, in order: the names of the files. */
  readonly effects: string[]
}

type Script = NonNullable<Parameters<typeof scriptedTransport>[0]>

/** An answer that calls these, as `write:a.md`; the call ids are these texts, too. */
export function calls(...names: readonly string[]): ReturnType<typeof callTools> {
  return callTools(
    names.map((toolCallId) => {
      const [toolName = '', file = ''] = toolCallId.split(':')
      return { toolCallId, toolName, input: { file } }
    }),
  )
}

/** A conversation in `setup`, with tools that write, send, wipe and ask; the messages were there before. */
export function useApprovalChat(script: Script, messages: UIMessage[] = []): ApprovalChat {
  const effects: string[] = []
  const transport = scriptedTransport(script)
  const act = {
    inputSchema: z.object({ file: z.string() }),
    execute: ({ file }: { file: string }) => {
      effects.push(file)
      return `did ${file}`
    },
  }
  const tools: ToolSet = {
    write: act,
    send: act,
    wipe: act,
    question: { inputSchema: z.object({ file: z.string() }) },
  }
  const chat = useMessage({
    messages,
    transport,
    plugins: [
      toolPlugin({
        tools,
        shouldPauseToolCall: ({ toolName }) => toolName !== 'question',
        toolOptions: {
          write: { summary: ({ file }: { file: string }) => `Write ${file}`, risk: 'write' },
          send: { summary: ({ file }: { file: string }) => `Send ${file}`, risk: 'send' },
          wipe: { summary: ({ file }: { file: string }) => `Wipe ${file}`, risk: 'destroy' },
        },
      }),
    ],
  })
  return { chat, transport, effects }
}

/** Such a conversation in an `AsChat`, after its first message was sent. */
export async function mountApprovalChat(
  script: Script | readonly string[],
  options: {
    width?: number
    height?: number
    config?: AsConfigProviderProps
    say?: boolean
    tray?: boolean
    messages?: UIMessage[]
    virtual?: boolean
  } = {},
): Promise<ApprovalChat> {
  const { width = 760, height = 700, config = {}, say = true, tray: hasTray = true } = options
  const { messages, virtual = false } = options
  const made: ApprovalChat[] = []
  const [first] = script
  const steps =
    typeof first === 'string'
      ? [calls(...(script as readonly string[])), answer('All done.')]
      : script
  const App = defineComponent(() => {
    const scene = useApprovalChat(steps as Script, messages)
    made.push(scene)
    return () =>
      h('div', { style: { blockSize: `${height}px`, inlineSize: `${width}px` } }, [
        h(AsConfigProvider, config, {
          default: () => h(AsChat, { chat: scene.chat, tray: hasTray, virtual }),
        }),
      ])
  })
  await page.viewport(Math.max(width, 320), Math.max(height, 400))
  await render(App)
  const [scene] = made
  if (!scene) throw new Error('The conversation was not made.')
  if (say) {
    await page.getByRole('textbox', { name: 'Message' }).click()
    await userEvent.keyboard('Go{Enter}')
    await expect.poll(() => scene.chat.requestState.value).toBe('paused')
    await nextTick()
  }
  return scene
}

/** Scrolls through the conversation as a reader does, and back to where it was. */
export async function readThrough(): Promise<void> {
  const scroller = document.querySelector('[data-slot="scroller"]')
  if (!scroller) throw new Error('There is no conversation.')
  const { scrollTop } = scroller
  scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }))
  for (let top = scroller.scrollHeight; top >= 0; top -= 120) {
    scroller.scrollTop = top
    await frames(2)
  }
  scroller.scrollTop = 0
  await frames(2)
  scroller.scrollTop = scrollTop
  await frames(2)
}

/** Lets the page be laid out and its observers be told. */
export async function frames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame)
}

export const tray = () => page.getByRole('region', { name: 'Needs you' })
export const row = (name: string | RegExp) => tray().getByRole('group', { name })
export const button = (name: string | RegExp) => tray().getByRole('button', { name })
