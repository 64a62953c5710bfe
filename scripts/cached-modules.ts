import type { ServerResponse } from 'node:http'
import type { Plugin } from 'vitest/config'

/**
 * Lets a browser keep the modules of a run. Each test file has a page of its own, which would ask again
 * for hundreds of them, whether they have changed; while no one watches for changes, none does.
 */
export function cachedModules(): Plugin {
  let isWatching = true
  return {
    name: 'assent-cached-modules',
    configureVitest({ vitest }) {
      isWatching = vitest.config.watch
    },
    configureServer({ middlewares }) {
      middlewares.use((_request, response, next) => {
        if (!isWatching) keep(response)
        next()
      })
    },
  }
}

/** What Vite says may be kept if it is asked for again each time, may be kept. */
function keep(response: ServerResponse): void {
  const setHeader = response.setHeader.bind(response)
  response.setHeader = (name, value) => {
    const isKept = name.toLowerCase() === 'cache-control' && value === 'no-cache'
    return setHeader(name, isKept ? 'max-age=86400, immutable' : value)
  }
}
