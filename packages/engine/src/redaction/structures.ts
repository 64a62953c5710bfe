/** A secret that is known by how it is built. */
export interface Structure {
  readonly kind: string
  /** The group `secret` is what is masked. Each place of the text is read a fixed number of times. */
  readonly pattern: RegExp
  /** What can become one, at the end of a text; begins with what is held back. */
  readonly unfinished: RegExp
  /** The characters of which the unfinished one is made, to know how far back to look. */
  readonly run: RegExp
}

export const STRUCTURES: readonly Structure[] = [
  {
    kind: 'jwt',
    // Header, content and signature; five parts when it is encrypted. They begin with `{"`, `{ ` or a
    // line after the brace.
    pattern: /(?<![\w.-])(?<secret>(?:ey[AJ]|ewo)[\w-]{8,}(?:\.[\w-]*){2,4})/g,
    unfinished: /^(?:ey[AJ]|ewo)[\w.-]*$/,
    run: /[\w.-]/,
  },
  {
    kind: 'password',
    // scheme://user:password@host
    pattern: /:\/\/[^\s:@/?#"'`<>\\]*:(?<secret>[^\s/?#"'`<>\\]+)(?=@)/g,
    unfinished: /(?<=:\/\/)[^\s/?#"'`<>\\]+$/,
    run: /[^\s?#"'`<>\\]/,
  },
  {
    kind: 'token',
    // https://token@host: a name is not that long, with digits in it.
    pattern: /:\/\/(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Za-z])(?<secret>[\w-]{20,})(?=@)/g,
    unfinished: /(?<=:\/\/)[^\s/?#"'`<>\\]+$/,
    run: /[^\s?#"'`<>\\]/,
  },
  {
    kind: 'password hash',
    // $6$salt$hash, as in /etc/shadow and .htpasswd
    pattern:
      /\$(?:[1567y]|gy|apr1|2[abxy]|argon2(?:id|i|d))\$(?<secret>[\w./=,+-]{1,100}\$[\w./$=,+-]{20,})/g,
    unfinished: /(?<=\$(?:[1567y]|gy|apr1|2[abxy]|argon2(?:id|i|d))\$)[\w./$=,+-]*$/,
    run: /[\w./$=,+-]/,
  },
  {
    kind: 'facebook token',
    // Of an app: its number and its secret.
    pattern: /(?<!\d)\d{15,16}(?:\||%(?:7C)?)(?<secret>[\w-]{27,40})(?![\w-])/g,
    unfinished: /(?<=(?<!\d)\d{15,16}(?:\||%(?:7C)?))[\w-]*$/,
    run: /[\w|%-]/,
  },
  {
    kind: 'telegram token',
    pattern: /(?<!\d)\d{8,10}:(?<secret>AA[\w-]{33})(?![\w-])/g,
    unfinished: /(?<=(?<!\d)\d{8,10}:)[\w-]*$/,
    run: /[\w:-]/,
  },
  {
    kind: 'discord token',
    // The number of the bot in base64, which begins so for all digits; a time; a signature.
    pattern: /(?<![\w.-])(?<secret>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38})(?![\w-])/g,
    unfinished: /^[MNO][\w-]{3,27}(?:\.[\w-]{0,6}(?:\.[\w-]*)?)?$/,
    run: /[\w.-]/,
  },
  {
    kind: 'maxmind key',
    // Known by its end; of one that is not yet whole the beginning is seen.
    pattern: /(?<![A-Za-z0-9])(?<secret>[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?!\w)/g,
    unfinished: /^[A-Za-z0-9]{6}_[A-Za-z0-9]{4,29}(?:_m{0,2})?$/,
    run: /\w/,
  },
  {
    kind: 'terraform token',
    pattern: /\.atlasv1\.(?<secret>[\w=-]{60,})/g,
    unfinished: /(?<=\.atlasv1\.)[\w=-]*$/,
    run: /[\w.=-]/,
  },
  {
    kind: 'azure secret',
    pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~(?<secret>[\w~.-]{31,34})(?![\w~-])/g,
    unfinished: /(?<=^[\w~.-]{3}\dQ~)[\w~.-]*$/,
    run: /[\w~.-]/,
  },
  {
    kind: 'azure key',
    // 84 characters with a mark within; of one that is not yet whole the beginning is seen.
    pattern:
      /(?<!\w)(?<secret>[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})(?!\w)/g,
    unfinished: /^[A-Za-z0-9]{20,84}$/,
    run: /\w/,
  },
]
