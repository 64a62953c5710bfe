import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** A model behind HTTP: it is sent the prompt, and answers with the parts of its stream, a line each. */
export function httpModel(url: string, headers: Readonly<Record<string, string>>): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'loopback',
    modelId: 'loopback',
    supportedUrls: {},
    doGenerate() {
      throw new Error('This model only streams.')
    },
    async doStream({ prompt, abortSignal }) {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify(prompt),
        ...(abortSignal && { signal: abortSignal }),
      })
      if (!response.ok || !response.body) throw new Error(`The model says ${response.status}.`)
      return {
        stream: response.body.pipeThrough(new TextDecoderStream()).pipeThrough(partsOfLines()),
      }
    },
  }
}

function partsOfLines(): TransformStream<string, LanguageModelV4StreamPart> {
  let rest = ''
  return new TransformStream({
    transform(text, controller) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) controller.enqueue(JSON.parse(line))
    },
  })
}
