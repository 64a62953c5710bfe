import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor, type RedactorOptions } from './create-redactor.ts'
import type { TokenShape } from './token-shape.ts'
import { TOKEN_SHAPES } from './token-shapes.ts'

const whole = { toolName: 'run', isPartial: false }
const partial = { toolName: 'run', isPartial: true }
const redact = createRedactor()

/**
 * Characters of a class, always the same ones and no word. Secrets are made here: none stands in
 * this file as it would stand in an output.
 */
function made(body: string, length: number, seed = 7): string {
  const isIn = new RegExp(`[${body}]`)
  const all = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).filter(
    (character) => isIn.test(character) && !'.-_='.includes(character),
  )
  let state = seed
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return all[state % all.length]
  }).join('')
}

const WORD = 'A-Za-z0-9'

function samplesOf(shape: TokenShape): { before: string; secret: string; kind: string }[] {
  const { starts, body, min, kind, keepsStart } = shape
  return starts.map((start) => {
    const rest = made(body, min)
    return keepsStart
      ? { before: start, secret: rest, kind }
      : { before: '', secret: start + rest, kind }
  })
}

const PEM_BODY = [made(WORD, 64), made(WORD, 64, 3), made(WORD, 20, 5)].join('\n')
const pem = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${PEM_BODY}\n-----END ${kind}PRIVATE KEY-----`

/** Secrets and what stands around them, each as its maker or a program writes it. */
const SECRETS: { before: string; secret: string; after?: string; kind: string }[] = [
  ...TOKEN_SHAPES.flatMap(samplesOf),
  {
    before: 'id_token ',
    secret: `eyJ${made(WORD, 20)}.eyJ${made(WORD, 40)}.${made(WORD, 43)}`,
    kind: 'jwt',
  },
  {
    before: 'id_token ',
    secret: `${btoa('{\n  "alg": "HS256"\n}').replaceAll('=', '')}.${made(WORD, 40)}.${made(WORD, 43)}`,
    kind: 'jwt',
  },
  { before: 'postgres://app:', secret: made(WORD, 12), after: '@db:5432/x', kind: 'password' },
  { before: 'redis://:', secret: made(WORD, 12), after: '@cache', kind: 'password' },
  {
    before: 'https://api.telegram.org/bot1234567890:',
    secret: `AA${made(WORD, 33)}`,
    after: '/getMe',
    kind: 'telegram token',
  },
  ...['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '].map((kind) => ({
    before: '',
    secret: pem(kind),
    kind: 'private key',
  })),
  { before: 'password=', secret: made(WORD, 12), kind: 'password' },
  { before: 'password: ', secret: 'correcthorse', after: '\nuser: x', kind: 'password' },
  { before: '"password": "', secret: 'correct horse battery', after: '"', kind: 'password' },
  {
    before: String.raw`{\"dbPassword\":\"`,
    secret: made(WORD, 9),
    after: String.raw`\"}`,
    kind: 'password',
  },
  { before: "'passwd' => '", secret: made(WORD, 9), after: "',", kind: 'password' },
  { before: 'DB_PASSWORD=', secret: `p@(s)&${made(WORD, 6)}`, after: '\n', kind: 'password' },
  { before: 'password=a,password2=', secret: made(WORD, 9), after: ',', kind: 'password' },
  { before: 'ENV DB_PASSWORD ', secret: made(WORD, 9), after: '\n', kind: 'password' },
  { before: 'setx DB_PASSWORD ', secret: made(WORD, 9), after: '\n', kind: 'password' },
  { before: '| DB_PASSWORD | ', secret: made(WORD, 9), after: ' |', kind: 'password' },
  { before: 'mysql --password ', secret: made(WORD, 9), after: ' db', kind: 'password' },
  { before: '<password>', secret: made(WORD, 9), after: '</password>', kind: 'password' },
  {
    before: 'curl https://x.test/?api_key=',
    secret: made(WORD, 9),
    after: '&q=1',
    kind: 'api key',
  },
  { before: 'aws_secret_access_key = ', secret: made('A-Za-z0-9/+', 40), kind: 'api key' },
  { before: 'client_secret: ', secret: made(WORD, 16), kind: 'secret' },
  {
    before: 'Authorization: ',
    secret: `Token ${made(WORD, 16)}`,
    after: '\r\n',
    kind: 'authorization',
  },
  { before: 'Cookie: ', secret: `sid=${made(WORD, 16)}; theme=dark`, after: '\n', kind: 'cookie' },
  {
    before: 'curl -sS -u ada:',
    secret: made(WORD, 12),
    after: ' https://x.test',
    kind: 'password',
  },
  {
    before: "curl https://x.test \\\n  --user 'ada:",
    secret: 'a b"c d',
    after: "' -v",
    kind: 'password',
  },
  { before: 'curl --proxy-user=ada:', secret: made(WORD, 12), after: '\n', kind: 'password' },
  {
    before: 'machine x.test login ada password ',
    secret: made(WORD, 9),
    after: '\n',
    kind: 'password',
  },
  {
    before: 'machine x.test\n  login ada\n  password ',
    secret: `hunter2!${made(WORD, 3)}`,
    after: '\n\nmachine y',
    kind: 'password',
  },
  { before: 'default login a password ', secret: made(WORD, 9), after: ' ', kind: 'password' },
  {
    before: 'https://a.blob.core.test/c?sv=2024-11-04&ss=b&se=2027-01-01&sig=',
    secret: `${made(WORD, 43)}%3D`,
    kind: 'azure signature',
  },
  {
    before: 'https://a.azure.test/c?sig=',
    secret: `${made(WORD, 43)}%3D`,
    after: '&sp=r&se=2027-01-01" end',
    kind: 'azure signature',
  },
  { before: 'abcdefghijklmn.atlasv1.', secret: made(WORD, 67), kind: 'terraform token' },
  {
    before: '',
    secret: `M${made(WORD, 25)}.${made(WORD, 6, 3)}.${made(WORD, 30)}`,
    kind: 'discord token',
  },
  { before: 'abc8Q~', secret: made(WORD, 34), kind: 'azure secret' },
  {
    before: 'CIRCLE: ',
    secret: `CCIPAT_${made(WORD, 22)}_${made('a-f0-9', 40)}`,
    kind: 'circleci token',
  },
  {
    before: '',
    secret: `ghs_123456_eyJ${made(WORD, 90)}.${made(WORD, 200)}.${made(WORD, 86)}`,
    kind: 'github token',
  },
  { before: 'set token: "', secret: made(WORD, 16), after: '"', kind: 'token' },
  ...[
    ['{"name":"API_KEY","value":"', 'api key', '"}'],
    [String.raw`{\"Key\":\"DbPassword\",\"Value\":\"`, 'password', String.raw`\"}`],
    ['- name: DB_PASSWORD\n    value: ', 'password', '\n  - name: x'],
    ['<add key="Password" value="', 'password', '" />'],
    ['<string name="api_key">', 'api key', '</string>'],
    ['<entry key="db.password">', 'password', '</entry>'],
    ["define( 'DB_PASSWORD', '", 'password', "' );"],
    ['os.environ.setdefault("API_TOKEN", "', 'token', '")'],
    ['OPENAI_KEY=', 'api key', '\n'],
    ['STRIPE_SK="', 'api key', '"'],
    ['APP_KEY=base64:', 'api key', '\n'],
    ['psk="', 'password', '"'],
    ['PresharedKey = ', 'password', '\n'],
    ['client-key-data: ', 'private key', '\n'],
    ['https://', 'token', '@github.com/a/b.git'],
    ['mysql -u root -p', 'password', ' shop'],
    ["sshpass -p '", 'password', "' ssh ada@x.test"],
    ['docker login -u ada -p ', 'password', ' x.test'],
    ['redis-cli -h x.test -a ', 'password', ' ping'],
    ['zip -r -P ', 'password', ' a.zip b'],
    ['openssl enc -aes256 -pass pass:', 'password', ' -in a'],
    ['\nrequirepass ', 'password', '\n'],
    ['1234567890123456|', 'facebook token', ' '],
  ].map(([before = '', kind = '', after = '']) => {
    const secret = made(WORD, 28).replace(/^.{4}/, 'aB3x')
    return before.endsWith('base64:')
      ? { before: before.slice(0, -7), secret: `base64:${secret}`, after, kind }
      : { before, secret, after, kind }
  }),
  ...['$6$', '$apr1$', '$2y$', '$y$'].map((before) => ({
    before: `ada:${before}`,
    secret: `${made(WORD, 8)}$${made(WORD, 43)}`,
    after: ':19000:0',
    kind: 'password hash',
  })),
]

describe('a secret', () => {
  it.each(SECRETS)('$kind: $before is masked, and what is around it stays', (one) => {
    const { before, secret, after = ' end', kind } = one
    const masked = redact(`see ${before}${secret}${after}`, whole)
    const end = kind === 'authorization' || kind === 'cookie' ? after.replace('\r', '') : after
    expect(masked.replaceAll('\r', '')).toBe(`see ${before}[secret: ${kind}]${end}`)
  })

  it.each(SECRETS)('$kind: $before is never seen before it is whole, wherever it is cut', (one) => {
    const { before, secret, after = ' end' } = one
    const text = `see ${before}${secret}${after}`
    for (let length = 0; length <= text.length; length++) {
      const shown = redact(text.slice(0, length), partial).replaceAll(/\[secret: [a-z ]+\]/g, '')
      expect(shown.slice(`see ${before}`.length)).not.toContain(secret.slice(0, 4))
      expect(shown).not.toContain(secret.slice(-8))
      expect(`see ${before}`.startsWith(shown.slice(0, `see ${before}`.length))).toBe(true)
    }
    const masked = redact(text, whole).replaceAll(/\[secret: [a-z ]+\]/g, '')
    expect(masked).not.toContain(secret.slice(0, 4))
  })

  // As long and as divided as their makers make them; what the table asks for is less.
  it.each([
    ['github token', `github_pat_${made(WORD, 22)}_${made(WORD, 59, 3)}`],
    ['gitlab token', `glpat-${made(WORD, 27)}.01.${made(WORD, 9, 3)}`],
    ['slack token', `xoxb-${made('0-9', 12)}-${made('0-9', 13)}-${made(WORD, 24)}`],
    ['slack token', `xoxe.xoxp-1-${made(WORD, 146)}`],
    ['stripe key', `rk_live_${made(WORD, 99)}`],
    ['openai key', `sk-proj-${made(WORD, 74)}T3Blbk${'FJ'}${made(WORD, 74)}`],
    ['anthropic key', `sk-ant-api03-${made(WORD, 60)}-${made(WORD, 30)}-AAAAAA`],
    ['api key', `sk-${made(WORD, 48)}`],
    ['sendgrid key', `SG.${made(WORD, 22)}.${made(WORD, 43)}`],
    ['pypi token', `pypi-AgEIcHlwaS5vcmc${made(WORD, 150)}`],
    ['doppler token', `dp.st.dev.${made(WORD, 40)}`],
    ['google token', `ya29.a0${made(WORD, 160)}`],
    ['vault token', `hvs.CAES${made(WORD, 90)}`],
  ])('in its full length is masked whole: %s', (kind, token) => {
    expect(redact(`use "${token}", now`, whole)).toBe(`use "[secret: ${kind}]", now`)
    expect(redact(`use ${token}. Now`, whole)).toBe(`use [secret: ${kind}]. Now`)
  })

  it('has the shapes of the tokens of at least 120 services', () => {
    expect(new Set(TOKEN_SHAPES.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(120)
    const starts = TOKEN_SHAPES.flatMap((shape) => shape.starts)
    expect(new Set(starts).size).toBe(starts.length)
  })

  it('that is cut off is masked to the end: a key, a quoted value', () => {
    const key = pem('').slice(0, 100)
    expect(redact(`a ${key}`, whole)).toBe('a [secret: private key]')
    expect(redact('a password="hunter2 and m', whole)).toBe('a password="[secret: password]')
  })

  it('beside others is masked by itself', () => {
    const [one, other] = [`ghp_${made(WORD, 36)}`, `npm_${made(WORD, 36)}`]
    expect(redact(`${one},${other}\n${one}.`, whole)).toBe(
      '[secret: github token],[secret: npm token]\n[secret: github token].',
    )
  })
})

describe('a value that is known', () => {
  const value = 'pa$$ wörd/"+x?'
  const known = createRedactor({ knownValues: [value, 'swordfish', ''] })
  const bytes = new TextEncoder().encode(value)
  const hex = (before: string) =>
    [...bytes].map((byte) => before + byte.toString(16).padStart(2, '0')).join('')
  const base64 = (prefix: string, suffix: string) => {
    const all = [...new TextEncoder().encode(prefix), ...bytes, ...new TextEncoder().encode(suffix)]
    return btoa(String.fromCharCode(...all))
  }

  it.each([
    ['as it is', value],
    ['in JSON', JSON.stringify(value).slice(1, -1)],
    ['in an address', encodeURIComponent(value)],
    [
      'in an address, in lower case',
      encodeURIComponent(value).replaceAll(/%../g, (c) => c.toLowerCase()),
    ],
    ['in a form', encodeURIComponent(value).replaceAll('%20', '+')],
    ['as hex digits', hex('')],
    ['as hex digits with blanks between', hex(' ').trim()],
    ['as hex digits in capitals', hex('').toUpperCase()],
    ['in an address, all of it', hex('%')],
    ['in JSON, all of it', [...value].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
  ])('is found %s', (_name, form) => {
    expect(known(`a ${form} b`, whole)).toBe('a [secret: known value] b')
  })

  it('is found in base64, wherever it stands in what was encoded', () => {
    for (const prefix of ['', 'u', 'us', 'use', 'user:']) {
      for (const suffix of ['', '!', '!!', '!!!']) {
        const code = base64(prefix, suffix)
        for (const form of [code, code.replaceAll('+', '-').replaceAll('/', '_')]) {
          const shown = known(`a ${form} b`, whole)
          expect(shown).toContain('[secret: known value]')
          // All but the characters that it shares with what is around it.
          expect(shown.replace('[secret: known value]', '').length).toBeLessThanOrEqual(
            4 + Math.ceil(prefix.length / 3) * 4 + 8,
          )
        }
      }
    }
  })

  it('is never seen before it is whole, in any form, wherever it is cut', () => {
    const code = base64('', '')
    const inJson = JSON.stringify(value).slice(1, -1)
    for (const form of [value, inJson, encodeURIComponent(value), code]) {
      const text = `see ${form} end`
      for (let length = 0; length <= text.length; length++) {
        const shown = known(text.slice(0, length), partial)
        expect(shown).not.toContain(form.slice(0, 4))
      }
    }
  })

  it.each([
    ['as base64 breaks them', 76, '\n'],
    ['as fold breaks them', 20, '\n'],
    ['of Windows', 76, '\r\n'],
  ])('is found over the ends of lines, %s', (_name, width, end) => {
    const long = `${made(WORD, 40)} ${made(WORD, 40, 3)}-${made(WORD, 40, 5)}`
    const one = createRedactor({ knownValues: [long] })
    for (const form of [long, btoa(long)]) {
      const lines = form.match(new RegExp(`.{1,${width}}`, 'g'))?.join(end) ?? ''
      const text = `first${end}${lines}${end}last`
      expect(one(text, whole)).toMatch(/^first\r?\n\[secret: known value\].{0,4}\r?\nlast$/)
      for (let length = 0; length <= text.length; length++) {
        expect(one(text.slice(0, length), partial)).not.toContain(form.slice(0, 5))
      }
    }
  })

  it('is found where it overlaps another, or itself', () => {
    const both = createRedactor({ knownValues: ['abcdef', 'defghi', 'xyxy'] })
    expect(both('-abcdefghi-', whole)).toBe('-[secret: known value]-')
    expect(both('-xyxyxy-', whole)).toBe('-[secret: known value]-')
  })

  it('of less than four characters is none', () => {
    expect(createRedactor({ knownValues: ['abc'] })('abc', whole)).toBe('abc')
  })

  it('is shown so far as it stays, but for three characters, however it is made', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 4, maxLength: 12 })
    fc.assert(
      fc.property(letters, letters, letters, (secret, before, after) => {
        const one = createRedactor({ knownValues: [secret] })
        const text = `${before}${secret}${after}`
        const final = one(text, whole)
        expect(final).not.toContain(secret)
        for (let length = 0; length <= text.length; length++) {
          const shown = one(text.slice(0, length), partial)
          expect(final.startsWith(shown.slice(0, -3))).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('a text under a name', () => {
  it.each([
    ['password', 'password'],
    ['dbPassword', 'password'],
    ['DB_PASS', 'password'],
    ['user-passwd', 'password'],
    ['apiKey', 'api key'],
    ['api_key', 'api key'],
    ['API-KEY', 'api key'],
    ['apikey', 'api key'],
    ['Authorization', 'authorization'],
    ['auth', 'authorization'],
    ['Set-Cookie', 'cookie'],
    ['credentials', 'credential'],
    ['private_key', 'private key'],
    ['private', 'private key'],
    ['accessToken', 'token'],
    ['token', 'token'],
    ['clientSecret', 'secret'],
  ])('%s is masked whatever it is: %s', (key, kind) => {
    for (const context of [whole, partial]) {
      expect(redact('any words', { ...context, key })).toBe(`[secret: ${kind}]`)
      expect(redact('', { ...context, key })).toBe('')
    }
  })

  it.each([
    'author',
    'authority',
    'tokenCount',
    'max_tokens',
    'nextPageToken',
    'token_type',
    'passwordless',
    'secretary',
    'secretName',
    'accessKeyId',
    'privateIpAddress',
    'cookiePolicy',
    'monkey',
    'text',
  ])('%s stays', (key) => {
    expect(redact('any words', { ...whole, key })).toBe('any words')
  })

  it('that the app names is masked', () => {
    const own = createRedactor({ keys: ['pinCode', /^x-internal-/g] })
    for (const key of ['pinCode', 'PIN_CODE', 'x-internal-id', 'x-internal-id']) {
      expect(own('1234', { ...whole, key })).toBe('[secret: credential]')
    }
    expect(own('PIN_CODE=1234 x', whole)).toBe('PIN_CODE=[secret: credential] x')
  })
})

describe('what is no secret stays', () => {
  it.each([
    ['a uuid', 'id 123e4567-e89b-42d3-a456-426614174000'],
    ['a commit', 'commit 9fceb02d0ae598e95dc970b74767f19372d61af8'],
    ['a digest', `sha512-${made('A-Za-z0-9+/', 86)}==`],
    ['an order number', 'order SK-2024-0012345 for 4111 pieces'],
    ['an image', `data:image/png;base64,${made('A-Za-z0-9+/', 4_000)}`],
    ['a folder', 'PWD=/srv/app\nOLDPWD=/srv\ndeclare -x OLDPWD="/srv/a b"\n'],
    ['an address', 'https://user@example.test:8080/a?b=c@d#e'],
    ['a port', 'http://localhost:3000?email=a@b.test'],
    ['a time', 'at 12:30:45 on 2026-01-02T03:04:05.678Z'],
    ['a type', 'interface A { password: string; token?: string | undefined }'],
    ['a call', 'const token = await getToken(user)'],
    ['a variable', 'token = process.env.API_TOKEN; password = $PASSWORD'],
    ['a placeholder', 'API_KEY=<your-key> password="****" token: ${{TOKEN}}'],
    [
      'prose',
      'The password is wrong. Basic authentication needs a bearer certificate: see token below.',
    ],
    ['a message', 'password: required, token: invalid'],
    ['a table of docs', '| `password` | string | yes |\n| token | The token of the user |'],
    ['what is set in words', 'set password to something else; set TOKEN=x'],
    ['an emoji', 'done \u2714\ufe0f \u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['a count', 'max_tokens: 4096, completion_tokens=1234567890123'],
    ['a certificate', `-----BEGIN CERTIFICATE-----\n${PEM_BODY}\n-----END CERTIFICATE-----`],
    ['a public key', `-----BEGIN PUBLIC KEY-----\n${PEM_BODY}\n-----END PUBLIC KEY-----`],
    ['a user of a container', 'docker run -u 1000:1000 curlimages/curl https://x.test'],
    ['a user without a password', 'curl -u ada: https://x.test; curl -u "$USER:$PASS" x'],
    ['a signature of nothing', 'https://x.test/?q=1&sig=abcdefghijklmnopqrstuvwxyz'],
    ['a short signature', 'https://x.test/?sv=1&se=2&sig=abc'],
    ['a question for a password', 'login: password required. Enter password please'],
    ['a machine in prose', 'the machine is down, and my password list too'],
    ['a type of account', '{ "type": "service_account", "project_id": "x" }'],
    ['a pair of words', '{"name": "token", "value": "token"}, { key: "author", value: "ada" }'],
    ['a list of settings', '- name: PORT\n  value: "8080"\n- name: LOG_LEVEL\n  value: debug'],
    [
      'a key that is none',
      'PRIMARY_KEY=customer_id_2024_by_name SORT_KEY=created_at_2024_01 ENTER_KEY=13',
    ],
    [
      'a user in an address',
      'ssh://deploy-user-of-the-shop@x.test git clone https://ada@x.test/a.git',
    ],
    ['variables of a shell', 'echo $1$HOME/some/long/path/of/files $5$x'],
    [
      'options of other commands',
      'mkdir -p src; docker run -p 8080:80 x; mysql -p -u root; zip -r a.zip b',
    ],
    [
      'settings of Kubernetes',
      'apiVersion: v1\nkind: ConfigMap\ndata:\n  level: debug-of-the-shop\n',
    ],
    [
      'a version',
      'v1.0-beta sdk-tools api-docs pattern.test resend re_export_all_things_from_a_module',
    ],
    ['colours', '\u001b[1mbold\u001b[0m and \u001b]0;title\u0007plain'],
    ['words', 'disk-usage task-runner skeleton key-value hooks.slack.com ghp_ sk-'],
    ['a state', 'loading'],
  ])('%s', (_name, text) => {
    expect(redact(text, whole)).toBe(text)
  })

  it('also while it streams, but for its end', () => {
    expect(redact('loading', partial)).toBe('loading')
    expect(redact('The disk-usage is ', partial)).toBe('The disk-usage is ')
  })
})

describe('masking', () => {
  const optionsOf: RedactorOptions[] = [
    {},
    { knownValues: ['secret', 'token', 'value', '[secret'] },
    { mask: () => '***' },
    { mask: () => '' },
    { mask: (kind) => `<${kind.toUpperCase()}=1>` },
  ]

  it('once more changes nothing', () => {
    const pieces = fc.constantFrom(
      ...SECRETS.flatMap(({ before, secret, after = ' ' }) => [
        before,
        secret,
        before + secret,
        after,
      ]),
      'token: ',
      'password = ',
      '"',
      '\n',
      ' ',
      '://a:b@',
      'process.env.',
      '(',
      '[secret: password]',
      'secret',
    )
    const texts = fc.array(pieces, { maxLength: 6 }).map((some) => some.join(''))
    let masked = 0
    fc.assert(
      fc.property(texts, fc.constantFrom(...optionsOf), fc.boolean(), (text, options, isKeyed) => {
        const one = createRedactor(options)
        const context = isKeyed ? { ...whole, key: 'password' } : whole
        const once = one(text, context)
        if (once !== text) masked++
        expect(one(once, context)).toBe(once)
      }),
      { numRuns: 3_000 },
    )
    expect(masked).toBeGreaterThan(1_500)
  })

  it('is as the app says', () => {
    const one = createRedactor({ mask: (kind) => `#${kind}#` })
    expect(one('password=hunter2 x', whole)).toBe('password=#password# x')
  })

  it('finds the shapes that the app adds, of which a group can be the secret', () => {
    const one = createRedactor({
      patterns: [
        { kind: 'badge', pattern: /\bB-\d{6}\b/ },
        { kind: 'room code', pattern: /room (?<secret>\d+)/g },
      ],
    })
    expect(one('B-123456 in room 42 and room 43', whole)).toBe(
      '[secret: badge] in room [secret: room code] and room [secret: room code]',
    )
    expect(one.holdsBack).toBe(false)
    expect(redact.holdsBack).toBe(true)
  })
})

describe('any text', () => {
  const unfinished = [
    // One for each sort of characters that follow.
    ...new Map(TOKEN_SHAPES.map(({ body, starts }) => [body, starts[0] ?? ''])).values(),
    'eyJ',
    'eyJaaaaaaaa.',
    '://a:',
    '://a:b@',
    '12345678:AA',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----END ',
    'cookie:',
    'password=',
    'PASSWORD={',
    'password="{',
    String.raw`token:\"`,
    'token:(',
    'token:',
    '--password ',
    '<token>',
    ' -u a:',
    ' -u a:\\\n',
    'curl -u a:',
    ' password ',
    'machine a password ',
    '&sig=',
    '&sig=aaaaaaaaaaaaaaaaaaaaaaaa',
    '"type":"service_account"',
    '{"type":"service_account"',
    'M.',
    'apiVersion',
    'apiVersion:\n',
    'apiVersion:\n data:\n  a: b\n',
    '\n data:\n  a: b\n',
    '"data": {"a":"b"',
    'mysql ',
    'docker login ',
    '$6$a$',
    '{"name":"a",',
    '"value":"',
    'value:',
    'A_KEY=a1',
    '://a1',
    '.atlasv1.',
    '\u001b[0m',
    '\u001b]',
    '\u001b',
    '\u009b0',
    'a-',
    'A',
    '.',
    '[secret: token]',
    '[secret: ',
    'secret ',
  ]
  const known = createRedactor({ knownValues: ['aaaaaaaaaaaaaaaab', 'swordfish'] })

  /** Milliseconds of this thread alone: others use the machine too. The best of some runs. */
  function costOf(text: string): number {
    const times = Array.from({ length: 2 }, () => {
      const started = process.threadCpuUsage()
      known(text, partial)
      return process.threadCpuUsage(started).user / 1_000
    })
    return Math.min(...times)
  }

  it.each(unfinished)('of "%s" again and again takes linear time', { timeout: 30_000 }, (unit) => {
    const textOf = (length: number, end: string) =>
      unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + end
    for (const end of ['', '(']) {
      const short = costOf(textOf(6_250, end))
      const long = costOf(textOf(100_000, end))
      // Linear is 16, quadratic is 256. What is too short to be measured is no measure.
      expect(long / Math.max(short, 1)).toBeLessThan(80)
    }
  })
})
