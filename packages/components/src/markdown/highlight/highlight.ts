import type { HighlighterCore, LanguageInput, ThemeInput, ThemeRegistrationAny } from 'shiki/core'
import type { CodePiece, MarkdownPlugin } from '../markdown-plugin.ts'
import { createCodeCache } from './code-cache.ts'
import { inSlices } from './in-slices.ts'
import { LANGUAGES, type Language } from './languages.ts'

/** What {@link highlight} may be told. */
export interface HighlightOptions {
  /**
   * Languages beside those that come with it, by the name after the fence; a name that is there
   * already is replaced. A value is what `shiki` takes: a grammar, or a function that imports one.
   */
  languages?: Readonly<Record<string, LanguageInput>>
  /** Default: the default themes of GitHub. */
  themes?: { readonly light: ThemeInput; readonly dark: ThemeInput }
  /** How many pieces of code are remembered. Default 200. */
  remembered?: number
  /** Code with more characters stays without colours. Default 50,000. */
  maxLength?: number
}

/**
 * A plugin that colours fenced code when its fence is closed, in both themes at once, by custom
 * properties. It works while the page is idle, a few lines at a time, and remembers what it made.
 */
export function highlight(options: HighlightOptions = {}): MarkdownPlugin {
  const cache = createCodeCache(options.remembered ?? 200)
  const maxLength = options.maxLength ?? 50_000
  const languages = new Map<string, Language>(LANGUAGES)
  for (const [name, grammar] of Object.entries(options.languages ?? {})) {
    languages.set(name.toLowerCase(), { name, grammar })
  }
  let loading: Promise<HighlighterCore> | undefined

  function load(): Promise<HighlighterCore> {
    loading ??= createHighlighter(options.themes).catch((error: unknown) => {
      // Tried again with the next code.
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    highlighter: {
      find: (code, language) => cache.get(language.toLowerCase(), code),
      async highlight(code, name) {
        const language = languages.get(name.toLowerCase())
        if (!language || code.length > maxLength) return undefined
        const known = cache.get(name.toLowerCase(), code)
        if (known) return known
        const shiki = await load()
        await shiki.loadLanguage(language.grammar)
        const lines = await inSlices(code, (slice, former: GrammarState) =>
          colour(shiki, slice, language, former),
        )
        cache.set(name.toLowerCase(), code, lines)
        return lines
      },
    },
  }
}

type GrammarState = ReturnType<HighlighterCore['codeToTokens']>['grammarState']

function colour(
  shiki: HighlighterCore,
  code: string,
  language: Language,
  former: GrammarState,
): { lines: CodePiece[][]; state: GrammarState } {
  const { tokens, grammarState } = shiki.codeToTokens(code, {
    lang: language.name,
    themes: { light: LIGHT, dark: DARK },
    defaultColor: false,
    cssVariablePrefix: '--as-code-',
    ...(former ? { grammarState: former } : {}),
  })
  const lines = tokens.map((line) =>
    line.map(({ content, htmlStyle }): CodePiece => {
      return typeof htmlStyle === 'object' ? { text: content, style: htmlStyle } : { text: content }
    }),
  )
  return { lines, state: grammarState }
}

/** The names under which the themes are registered, whichever they are. */
const LIGHT = 'assent-light'
const DARK = 'assent-dark'

async function createHighlighter(themes: HighlightOptions['themes']): Promise<HighlighterCore> {
  const [{ createHighlighterCore, normalizeTheme }, { createJavaScriptRegexEngine }] =
    await Promise.all([import('shiki/core'), import('shiki/engine/javascript')])
  const resolve = async (theme: ThemeInput): Promise<ThemeRegistrationAny> => {
    const given = await (typeof theme === 'function' ? theme() : theme)
    return 'default' in given ? given.default : given
  }
  const [light, dark] = await Promise.all([
    resolve(themes?.light ?? (() => import('shiki/themes/github-light-default.mjs'))),
    resolve(themes?.dark ?? (() => import('shiki/themes/github-dark-default.mjs'))),
  ])
  return createHighlighterCore({
    themes: [
      { ...normalizeTheme(light), name: LIGHT },
      { ...normalizeTheme(dark), name: DARK },
    ],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
}
