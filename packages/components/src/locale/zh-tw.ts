import { en } from './en.ts'
import type { AssentLocale } from './locale.ts'
import { withWords } from './words.ts'

export const zhTW: AssentLocale = withWords(en, { code: 'zh-TW' })
