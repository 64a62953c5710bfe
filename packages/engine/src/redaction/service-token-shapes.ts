import type { TokenShape } from './token-shape.ts'

const WORD = 'A-Za-z0-9'
const WORDS = 'A-Za-z0-9_'
const URL_SAFE = 'A-Za-z0-9_\\-'
const DOTTED = 'A-Za-z0-9_.\\-'
const BASE64 = 'A-Za-z0-9+/='
const HEX = 'a-f0-9'
const ANY_HEX = 'A-Fa-f0-9'
const UUID = 'a-f0-9\\-'

type Row = readonly [kind: string, starts: string, body: string, min: number, max?: number]

/** Tokens that say whose they are by how they begin; the starts of a row are divided by blanks. */
const ROWS: readonly Row[] = [
  // Clouds and where apps run
  ['aws session token', 'IQoJb3JpZ2lu FwoGZXIvYXdz', BASE64, 100],
  ['aws bedrock key', 'bedrock-api-key-', BASE64, 40],
  ['aws key id', 'A3T', 'A-Z0-9', 17, 17],
  ['aws mws key', 'amzn.mws.', UUID, 36],
  ['alibaba key id', 'LTAI', WORD, 16, 20],
  ['tencent key id', 'AKID', WORD, 32, 32],
  ['scaleway key id', 'SCW', 'A-Z0-9', 17, 17],
  ['yandex key', 'AQVN y0_', URL_SAFE, 35],
  ['cloudflare token', 'cfk_ cfut_ cfat_', WORD, 40],
  ['cloudflare ca key', 'v1.0-', UUID, 160],
  ['vercel token', 'vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_', WORDS, 24],
  ['fly token', 'fo1_ fm1r_ fm1a_ fm2_', BASE64 + '_\\-', 40],
  ['heroku key', 'HRKU-', URL_SAFE, 36],
  ['pulumi token', 'pul-', HEX, 40],
  ['dynatrace token', 'dt0c01. dt0s01. dt0s16.', `${WORD}.`, 80],
  ['infracost key', 'ico-', WORD, 32],
  ['openshift token', 'sha256~', URL_SAFE, 43],
  ['prefect token', 'pnu_ pnb_', WORD, 36],
  ['neon key', 'napi_', WORD, 40],
  ['mongodb key', 'mdb_sa_sk_', URL_SAFE, 40],
  ['confluent secret', 'cflt', BASE64, 56],
  // Where code is kept, built and published
  ['circleci token', 'CCIPAT_ CCIPRJ_', WORDS, 40],
  ['buildkite token', 'bkua_', HEX, 40],
  ['gitlab token', 'glwt-', URL_SAFE, 20],
  ['bitbucket token', 'ATBB', `${URL_SAFE}=`, 28],
  ['trello token', 'ATTA', WORD, 60],
  ['harness token', 'pat. sat.', DOTTED, 60],
  ['sourcegraph token', 'sgp_', WORDS, 40],
  ['sonar token', 'squ_ sqp_ sqa_', HEX, 40],
  ['snyk token', 'snyk_uat. snyk_sat.', DOTTED, 40],
  ['jfrog key', 'AKCp', WORD, 69],
  ['jfrog token', 'cmVmd', WORD, 59],
  ['nuget key', 'oy2', 'a-z0-9', 43, 43],
  ['launchdarkly key', 'sdk- api-', UUID, 36, 36],
  ['settlemint token', 'sm_aat_ sm_pat_ sm_sat_', WORD, 16],
  ['jwt', 'ZXlKaGJHY2lPaU ZXlKMGVYQWlPaU ZXlKcmFXUWlPaU', `${BASE64}_\\-`, 40],
  ['readme key', 'rdme_', 'a-z0-9', 60],
  ['octopus key', 'API-', 'A-Z0-9', 26],
  ['scalingo token', 'tk-us-', URL_SAFE, 48],
  ['wakatime key', 'waka_', UUID, 36],
  ['1password token', 'ops_eyJ', BASE64, 100],
  ['1password key', 'A3-', 'A-Z0-9\\-', 34],
  // Models and what is around them
  ['openai session', 'sess-', WORD, 40],
  ['langfuse key', 'sk-lf-', UUID, 36],
  ['nvidia key', 'nvapi-', URL_SAFE, 60],
  ['cerebras key', 'csk-', 'a-z0-9', 40],
  ['elevenlabs key', 'sk_', HEX, 48, 48],
  ['tavily key', 'tvly-', `${WORD}\\-`, 28],
  ['firecrawl key', 'fc-', HEX, 32, 32],
  ['jina key', 'jina_', WORD, 60],
  ['together key', 'tgp_v1_', URL_SAFE, 40],
  ['pinecone key', 'pcsk_', WORDS, 40],
  ['e2b key', 'e2b_', HEX, 40],
  ['runpod key', 'rpa_', WORD, 40],
  ['apify token', 'apify_api_', WORD, 36],
  ['cursor key', 'key_', HEX, 64, 64],
  ['wandb key', 'wandb_v1_', WORDS, 40],
  // Payments, mail and the rest
  ['stripe key', 'sk_org_ sk_org_live_ sk_org_test_', WORD, 16],
  ['paddle key', 'pdl_live_apikey_ pdl_sdbx_apikey_', WORDS, 40],
  ['plaid token', 'access-sandbox- access-production- access-development-', UUID, 36],
  ['razorpay key', 'rzp_live_ rzp_test_', WORD, 14],
  ['duffel token', 'duffel_live_ duffel_test_', `${URL_SAFE}=`, 40],
  ['easypost key', 'EZAK EZTK', WORD, 54],
  ['flutterwave key', 'FLWSECK- FLWSECK_TEST-', `${WORD}\\-`, 12],
  ['mercado pago token', 'APP_USR-', `${WORD}\\-`, 60],
  ['woocommerce key', 'ck_ cs_', HEX, 40, 40],
  ['shippo token', 'shippo_live_ shippo_test_', ANY_HEX, 40],
  ['stytch secret', 'secret-live- secret-test-', `${URL_SAFE}=`, 36],
  ['brevo key', 'xkeysib- xsmtpsib-', `${WORD}\\-`, 64],
  ['hubspot token', 'pat-na1- pat-na2- pat-eu1- pat-ap1-', UUID, 36],
  ['typeform token', 'tfp_', URL_SAFE, 50],
  ['contentful token', 'CFPAT-', URL_SAFE, 43],
  ['frame.io token', 'fio-u-', `${URL_SAFE}=`, 60],
  ['airtable token', 'pat', `${WORD}.`, 79, 79],
  ['adobe secret', 'p8e-', WORD, 32],
  ['dropbox token', 'sl.', DOTTED, 100],
  ['facebook token', 'EAA IGAA', WORD, 100],
  ['mapbox token', 'sk.eyJ', DOTTED, 60],
  ['honeycomb key', 'hcaik_ hcxik_ hcamk_', WORD, 50],
  ['posthog key', 'phx_ phs_', WORD, 40],
  ['grafana key', 'eyJrIjoi', BASE64, 60],
  ['rootly key', 'rootly_', HEX, 64],
  ['42 intra secret', 's-s4t2ud- s-s4t2af-', HEX, 64],
  ['lichess token', 'lip_', WORD, 20],
  ['zoho token', '1000.', `${HEX}.`, 65, 65],
  ['yandex cloud token', 't1.', DOTTED, 80],
]

/** In addresses, after what says what they are. */
const IN_ADDRESSES: readonly Row[] = [
  ['teams webhook', 'webhook.office.com/webhookb2/', `${URL_SAFE}@/`, 60],
  ['slack webhook', 'hooks.slack.com/workflows/ hooks.slack.com/triggers/', `${WORD}/`, 24],
  ['zapier webhook', 'hooks.zapier.com/hooks/catch/', `${WORD}/`, 12],
  ['signature', 'X-Amz-Signature= X-Goog-Signature=', HEX, 64],
]

/** More shapes of tokens, as the services document them: those that gitleaks-rules.ts lacks, or knows in one length only. */
export const SERVICE_TOKEN_SHAPES: readonly TokenShape[] = [
  ...ROWS.map((row) => toShape(row)),
  ...IN_ADDRESSES.map((row) => ({ ...toShape(row), keepsStart: true })),
  { kind: 'resend key', starts: ['re_'], body: WORDS, min: 28, max: 44, accepts: isMixed },
]

function toShape([kind, starts, body, min, max]: Row): TokenShape {
  return { kind, starts: starts.split(' '), body, min, ...(max !== undefined && { max }) }
}

/** Whether it has capitals, small letters and digits, as no name has that is divided by `_`. */
function isMixed(body: string): boolean {
  return /[0-9]/.test(body) && /[A-Z]/.test(body) && /[a-z]/.test(body)
}
