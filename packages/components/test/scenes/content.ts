import type { EngineState } from '@assent/engine'
import type { UIMessage } from 'ai'
import { highlight } from '../../src/markdown/highlight/index.ts'
import { math } from '../../src/markdown/math/index.ts'
import { assistant, text, user } from '../fixtures.ts'

/** What messages hold: Markdown with all that it can say, and parts of every kind. */
type ContentScene = Partial<EngineState> & {
  messages: readonly UIMessage[]
  config?: object
}

const PLOT = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 24" width="384" height="192"><rect width="48" height="24" fill="#eef2fb"/><path d="M4 20 14 12l8 4 10-10 12 6" fill="none" stroke="#3b63d0" stroke-width="1.5"/></svg>',
)}`

const markdown = { plugins: [highlight(), math()] }

const answer = `The meter counts **kilowatt hours**, and the bill asks for a *fixed* share on top.[^share] Both prices went up in March [1], but less than in the year before [2].

$$
c = p \\cdot \\sum_{i=1}^{12} e_i + \\frac{f}{12}
$$

With $p = 0.31$ and the readings below, that is the sum of the bill. As a function:

\`\`\`ts
/** Euros for a year of readings */
export function cost(readings: number[], price = 0.31, share = 120): number {
  const energy = readings.reduce((sum, reading) => sum + reading, 0)
  return price * energy + share // once a year
}
\`\`\`

- [x] readings of January to June
- [ ] readings of July

[^share]: The share pays for the meter and the grid; see the \`tariff\` page.`

const odd: unknown = { type: 'hologram', data: { depth: 3, of: 'the meter' } }
const failed: unknown = { type: 'error', errorText: 'The price list could not be read.' }

export const contentScenes: readonly (readonly [string, ContentScene])[] = [
  [
    'content',
    {
      requestState: 'completed',
      config: { markdown },
      messages: [
        user('u1', 'Why is my bill higher than last year’s?'),
        assistant(
          'a1',
          { type: 'reasoning', text: 'The bill has two parts.', state: 'done' },
          text(answer),
          { type: 'file', mediaType: 'image/svg+xml', filename: 'readings.svg', url: PLOT },
          {
            type: 'source-url',
            sourceId: '1',
            url: 'https://www.energy.example/prices',
            title: 'Prices since March',
          },
          { type: 'source-document', sourceId: '2', mediaType: 'text/plain', title: 'Bill 2025' },
        ),
      ],
    },
  ],
  [
    'parts',
    {
      requestState: 'processing',
      processingState: 'completing',
      messages: [
        user('u1', 'Read the meter'),
        assistant(
          'a1',
          text('I asked the meter first.'),
          { type: 'step-start' },
          text('It answered in a way that I had not seen before.'),
          odd as UIMessage['parts'][number],
          failed as UIMessage['parts'][number],
          {
            type: 'steering-message',
            id: 's1',
            parts: [{ type: 'text', text: 'The second meter, please' }],
          },
          {
            type: 'file',
            mediaType: 'text/csv',
            filename: 'readings.csv',
            url: 'data:text/csv,1%2C2',
          },
          {
            type: 'file',
            mediaType: 'image/png',
            filename: 'Photo of the meter',
            url: 'https://photos.example/meter.png',
          },
          {
            type: 'reasoning',
            state: 'streaming',
            text: 'The second meter counts gas, not power.\n\nSo its readings have to be turned into kilowatt hours first, by the factor that is on the bill: about ten per cubic metre.\n\n1. Take the reading\n2. Multiply it\n3. Compare it with',
          },
        ),
      ],
    },
  ],
]
