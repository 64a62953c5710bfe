// Files whose content a person is asked about, whoever wants it: keys, credentials, what steers Git
// and shells. Matched without regard to case, as some file systems do.

const NAMES: readonly RegExp[] = [
  /^\.env(?:rc)?(?:[._-].*)?$/,
  /\.env$/,
  /^\.(?:netrc|pgpass|my\.cnf|npmrc|pypirc|yarnrc(?:\.yml)?|git-credentials|gitconfig|htpasswd|vault-token|dockercfg|s3cfg|boto|pnpmrc)$/,
  /^_netrc$/,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?|identity)(?:[._-].*)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn|mobileprovision|tfstate|tfvars)(?:\.(?:bak|old|backup))?$/,
  /^(?:.*[._-])?(?:credentials?|secrets?|passwords?|passwd|shadow|htpasswd|service[._-]?account|kubeconfig|authorized_keys|known_hosts)(?:\.(?:json|ya?ml|toml|ini|txt|xml|csv|conf|cfg|properties|db|bak|old|env))?$/,
  /^\.(?:bash|zsh|ksh|sh|fish|python|node_repl|mysql|psql|sqlite|redis(?:cli)?)_?history$/,
  /^\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|inputrc)$/,
  /^\.terraformrc$/,
]

const FOLDERS: readonly RegExp[] = [
  /^\.(?:ssh|gnupg|aws|azure|gcloud|kube|docker|password-store|secrets?)$/,
  /^(?:secrets|private-keys)$/,
]

/** What is in the folder of a repository and decides what Git runs or sends. */
const IN_GIT = /^(?:config(?:\.worktree|\.lock)?|hooks|credentials|modules|worktrees|info)$/
/** Names that only look like one: what is there to be read by everybody. */
const HARMLESS =
  /^\.env[._-](?:example|sample|template|dist|defaults|schema)$|\.(?:example|sample|template)$|\.pub$/

/**
 * Whether a path leads to what holds secrets or decides what programs run: `.env` files, keys,
 * credentials, `.ssh` and its like, the configuration and hooks of Git. By its names alone.
 *
 * @param path with `/` or `\` between its names
 */
export function isSensitivePath(path: string): boolean {
  const names = path
    .normalize('NFC')
    .toLowerCase()
    .split(/[\\/]+/)
    // Windows drops these at the end of a name.
    .map((name) => (/^\.+$/.test(name) ? name : name.replace(/[. ]+$/, '')))
    .filter((name) => name !== '' && name !== '.')
  const last = names.at(-1)
  if (last === undefined) return false
  if (names.some((name) => FOLDERS.some((folder) => folder.test(name)))) return true
  const git = names.findLastIndex((name) => name === '.git' || name.endsWith('.git'))
  if (git !== -1 && IN_GIT.test(names[git + 1] ?? '')) return true
  // A stream of a file on Windows is the file's own.
  const [file = last] = last.split(':')
  return !HARMLESS.test(file) && NAMES.some((name) => name.test(file))
}
