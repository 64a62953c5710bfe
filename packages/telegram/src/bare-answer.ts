/** What people write in the place of pressing a button. */
const YES =
  'y|ye|yes|yes please|yep|yeah|yup|ok|okay|k|kk|sure|fine|go|go ahead|go for it|do it|please do|approve|approved|' +
  'allow|allowed|agreed|confirm|confirmed|proceed|continue|lgtm|ja|jo|jawohl|klar|oui|si|sí|sì|sim|da|да|ок|' +
  'tak|はい|好|好的|是|是的|对|行|可以|同意|批准|确认|確認|核准|允许|允許|네'
const NO =
  'n|no|no thanks|nope|nah|deny|denied|reject|rejected|dont|stop|cancel|nein|non|não|nao|нет|nie|いいえ|不|不要|不行|否|' +
  '拒绝|拒絕|取消|아니요'

const ANSWERS: ReadonlyMap<string, 'yes' | 'no'> = new Map([
  ...YES.split('|').map((word) => [word, 'yes'] as const),
  ...NO.split('|').map((word) => [word, 'no'] as const),
])
const THUMBS = /^[\u{1F44D}\u{2705}\u{1F44C}\u{2714}]+$/u
/** A skin, or that a sign is an emoji. */
const LOOKS = /[\u{1F3FB}-\u{1F3FF}]|\u{FE0F}/gu

/** With these a sentence approves: "approve it", "yes, go on". */
const APPROVING =
  /^(yes|yep|yeah|ok|okay|sure|approved?|allow(ed)?|confirm(ed)?|agreed|go ahead|do it|proceed|批准|同意|允许|可以)\b|^(批准|同意|允许|可以)/u

/** Whether a short text can be meant as a yes. It is none: only a button approves. */
export function soundsLikeYes(text: string): boolean {
  if (bareAnswer(text) === 'yes') return true
  const words = wordsOf(text)
  return (
    words.length <= 3 &&
    APPROVING.test(words.join(' ')) &&
    !words.some(
      (word) => ANSWERS.get(word) === 'no' || /^(not|but|if|only|except|aber)$/.test(word),
    )
  )
}

/** Whether a text is nothing but a yes or a no; any word beside it makes it a message. */
export function bareAnswer(text: string): 'yes' | 'no' | undefined {
  const said = text.trim().toLowerCase()
  if (said === '') return undefined
  if (THUMBS.test(said.replaceAll(LOOKS, ''))) return 'yes'
  return ANSWERS.get(wordsOf(text).join(' '))
}

function wordsOf(text: string): string[] {
  const said = text.toLowerCase().replaceAll(/['’]/g, '')
  return said.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}
