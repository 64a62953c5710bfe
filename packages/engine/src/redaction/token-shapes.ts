import { SERVICE_TOKEN_SHAPES } from './service-token-shapes.ts'
import type { TokenShape } from './token-shape.ts'

const WORD = 'A-Za-z0-9'
const URL_SAFE = 'A-Za-z0-9_\\-'
const BASE64 = 'A-Za-z0-9+/='
const HEX = 'a-f0-9'

/**
 * The shapes of the tokens that are met most, as their makers document them, but for those that gitleaks-rules.ts holds as well. Where a length is not promised, a lower bound
 * is used that ordinary text does not reach.
 */
export const TOKEN_SHAPES: readonly TokenShape[] = [
  {
    kind: 'aws key id',
    starts: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    body: 'A-Z0-9',
    min: 16,
    max: 16,
  },
  { kind: 'aws bedrock key', starts: ['ABSK'], body: BASE64, min: 100 },
  {
    kind: 'github token',
    starts: ['ghp_', 'gho_', 'ghu_', 'ghr_'],
    body: WORD,
    min: 36,
  },
  // Of an app: the number of the app and a JWT, since 2026.
  { kind: 'github token', starts: ['ghs_'], body: `${URL_SAFE}.`, min: 36 },
  { kind: 'github token', starts: ['github_pat_'], body: `${WORD}_`, min: 36 },
  {
    kind: 'gitlab token',
    starts: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glimt-',
      'glagent-',
      'glsoat-',
      'gloas-',
    ],
    body: `${URL_SAFE}.`,
    min: 20,
  },
  {
    kind: 'slack token',
    starts: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxo-', 'xoxe-', 'xoxe.xoxp-', 'xapp-'],
    body: `${WORD}\\-`,
    min: 16,
  },
  {
    kind: 'slack webhook',
    starts: ['hooks.slack.com/services/'],
    body: `${WORD}/`,
    min: 24,
    keepsStart: true,
  },
  {
    kind: 'discord webhook',
    starts: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    body: `${URL_SAFE}/`,
    min: 40,
    keepsStart: true,
  },
  {
    kind: 'stripe key',
    starts: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    body: WORD,
    min: 16,
  },
  { kind: 'webhook secret', starts: ['whsec_'], body: BASE64, min: 24 },
  { kind: 'google api key', starts: ['AIza'], body: URL_SAFE, min: 35 },
  { kind: 'google token', starts: ['ya29.'], body: `${URL_SAFE}.`, min: 20 },
  { kind: 'google refresh token', starts: ['1//0'], body: URL_SAFE, min: 40 },
  { kind: 'google client secret', starts: ['GOCSPX-'], body: URL_SAFE, min: 24 },
  {
    kind: 'openai key',
    starts: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'],
    body: URL_SAFE,
    min: 20,
  },
  { kind: 'anthropic key', starts: ['sk-ant-'], body: URL_SAFE, min: 20 },
  { kind: 'openrouter key', starts: ['sk-or-v1-'], body: HEX, min: 40 },
  { kind: 'api key', starts: ['sk-'], body: WORD, min: 32 },
  { kind: 'groq key', starts: ['gsk_'], body: WORD, min: 40 },
  { kind: 'xai key', starts: ['xai-'], body: WORD, min: 60 },
  { kind: 'perplexity key', starts: ['pplx-'], body: WORD, min: 40 },
  { kind: 'replicate token', starts: ['r8_'], body: WORD, min: 36 },
  { kind: 'hugging face token', starts: ['hf_', 'api_org_'], body: WORD, min: 30 },
  { kind: 'langsmith key', starts: ['lsv2_pt_', 'lsv2_sk_'], body: `${HEX}_`, min: 32 },
  { kind: 'npm token', starts: ['npm_'], body: WORD, min: 36 },
  { kind: 'pypi token', starts: ['pypi-'], body: URL_SAFE, min: 50 },
  { kind: 'rubygems key', starts: ['rubygems_'], body: HEX, min: 48 },
  { kind: 'docker token', starts: ['dckr_pat_', 'dckr_oat_'], body: URL_SAFE, min: 24 },
  { kind: 'sendgrid key', starts: ['SG.'], body: `${URL_SAFE}.=`, min: 60 },
  { kind: 'mailgun key', starts: ['key-'], body: HEX, min: 32, max: 32 },
  { kind: 'digitalocean token', starts: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: HEX, min: 64 },
  { kind: 'square token', starts: ['sq0atp-', 'sq0csp-'], body: URL_SAFE, min: 22 },
  { kind: 'linear key', starts: ['lin_api_', 'lin_oauth_'], body: WORD, min: 32 },
  { kind: 'notion token', starts: ['ntn_', 'secret_'], body: WORD, min: 40 },
  { kind: 'figma token', starts: ['figd_'], body: URL_SAFE, min: 40 },
  { kind: 'databricks token', starts: ['dapi'], body: HEX, min: 32 },
  { kind: 'vault token', starts: ['hvs.', 'hvb.', 'hvr.'], body: URL_SAFE, min: 24 },
  {
    kind: 'doppler token',
    starts: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    body: `${URL_SAFE}.`,
    min: 40,
  },
  { kind: 'atlassian token', starts: ['ATATT3', 'ATCTT3'], body: `${URL_SAFE}=`, min: 50 },
  { kind: 'new relic key', starts: ['NRAK-'], body: 'A-Z0-9', min: 27 },
  { kind: 'grafana token', starts: ['glc_', 'glsa_'], body: `${BASE64}_`, min: 32 },
  { kind: 'sentry token', starts: ['sntrys_', 'sntryu_'], body: `${BASE64}_`, min: 40 },
  { kind: 'postman key', starts: ['PMAK-'], body: `${HEX}\\-`, min: 50 },
  { kind: 'supabase key', starts: ['sbp_', 'sb_secret_'], body: URL_SAFE, min: 24 },
  { kind: 'tailscale key', starts: ['tskey-'], body: `${WORD}\\-`, min: 20 },
  { kind: 'netlify token', starts: ['nfp_'], body: WORD, min: 36 },
  { kind: 'age key', starts: ['AGE-SECRET-KEY-1'], body: 'A-Z0-9', min: 58 },
  {
    kind: 'azure key',
    starts: ['AccountKey=', 'SharedAccessKey='],
    body: BASE64,
    min: 40,
    keepsStart: true,
  },
  {
    kind: 'authorization',
    starts: ['Bearer ', 'bearer ', 'BEARER ', 'Basic ', 'basic ', 'BASIC '],
    body: `${BASE64}._~\\-`,
    min: 8,
    keepsStart: true,
    accepts: looksRandom,
  },
  ...SERVICE_TOKEN_SHAPES,
]

/** Whether a word of a header is a token, and not a word of a sentence. */
function looksRandom(word: string): boolean {
  return /[0-9=_+/]/.test(word) || /[a-z].*[A-Z]/.test(word)
}
