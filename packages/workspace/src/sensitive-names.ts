// Names of files and folders that hold secrets or decide what programs run. All in lower case: some
// file systems know no other.

/** Names that say it all. */
export const EXACT_NAMES: ReadonlySet<string> = new Set(
  [
    // Settings with passwords and tokens, by the program that reads them
    '.netrc _netrc .authinfo .pgpass pgpass.conf .pgservice.conf .pg_service.conf .my.cnf .mylogin.cnf .dbshell',
    '.npmrc npmrc .pnpmrc .yarnrc .yarnrc.yml .pypirc pip.conf pip.ini .condarc .terraformrc terraform.rc',
    '.git-credentials .gitcredentials .gitconfig .hgrc .dockercfg .s3cfg .boto .vault-token .htpasswd .htdigest',
    '.databrickscfg .twurlrc .smbcredentials .msmtprc .esmtprc .fetchmailrc .mailrc .claude.json rclone.conf .rclone.conf',
    'auth.json hosts.yml hosts.yaml token.json token.pickle local.settings.json logins.json',
    'access_tokens.db key3.db key4.db cookies.sqlite wallet.dat wp-config.php nuget.config .flaskenv master.key',
    '.curlrc .wgetrc vault.yml vault.yaml env.local env.prod env.production env.staging env.development',
    '.sentryclirc .dockerconfigjson .renviron .tokens access_token cookies cookies.txt',
    // Keys of SSH, and of what has no name of its own
    'identity',
    // What shells run, and what they remember of what was typed
    '.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .inputrc .viminfo .lesshst',
  ].flatMap((line) => line.split(' ')),
)

/** Names that say it of a file, while a folder of that name holds a program. */
export const FILE_NAMES: ReadonlySet<string> = new Set(['token', '.token', 'keystore'])

/** Names with a part that varies. */
export const NAME_SHAPES: readonly RegExp[] = [
  /^\.env(?:rc)?(?:[._-].*)?$/,
  /\.env$/,
  /^\.dev\.vars(?:[._-].*)?$/,
  /^(?:.*[._-])?id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[._-].*)?$/,
  /^\.[a-z_]*history$/,
  /^client_?secrets?(?:[._-].*)?\.json$/,
  /^.*firebase-?adminsdk.*\.json$/,
  /^(?:.*[._-])?(?:gcp|gcloud|google|firebase|sa|(?:service[._-]?)?account)[._-]?key(?:file)?\.json$/,
  /^\.npmrc[._-].*$/,
  /^appsettings\.(?:.*[._-])?(?:secrets?|local|prod(?:uction)?|stag(?:e|ing))\.json$/,
  /^gha-creds-.*\.json$/,
  /^wg[\w-]*\.conf$/,
  /^login data(?: for account)?(?:-journal)?$/,
  /\.keychain(?:-db)?$/,
]

/** Words at the end of a name, before one of {@link DATA_ENDINGS} or nothing. */
export const WORDS =
  'credentials?|creds?|secrets?|passwords?|passwd|shadow|htpasswd|service[._-]?accounts?|kubeconfig|authorized_keys|known_hosts|api[._-]?keys?|deploy[._-]?keys?|vault[._-]?pass|(?:access|auth|oauth2?|refresh)[._-]?tokens?'

/** Endings of files with words and values in them; one of a program says nothing of secrets. */
export const DATA_ENDINGS = 'json|ya?ml|toml|ini|txt|xml|csv|conf|cfg|properties|db|bak|old|env'

/** Endings that say what a file holds: keys, stores of keys, the state of Terraform, settings of a VPN. */
export const SECRET_ENDINGS =
  'pem|key|p8|pk8|p12|pkcs12|pfx|jks|jceks|bks|keystore|truststore|keytab|kdb|kdbx|agekey|psafe3|1pux|ppk|asc|gpg|ovpn|mobileprovision|publishsettings|tfstate|tfvars|tfvars\\.json'

/** Folders of which everything counts, wherever they are. */
export const FOLDERS: ReadonlySet<string> = new Set(
  [
    '.ssh .gnupg .aws .azure .gcloud .kube .docker .oci .aliyun .bluemix .chef .step .gsutil .terraform.d .pulumi .wrangler',
    '.cloudflared .fly .1password .password-store .secret .secrets secrets private-keys .envs .env.d .direnv .anthropic keyrings keychains legacy_credentials',
  ].flatMap((line) => line.split(' ')),
)

/** Folders of which everything counts where they are in another: where programs keep settings. */
export const FOLDERS_IN: ReadonlyMap<string, RegExp> = new Map([
  [
    '.config',
    /^(?:gcloud|gh|glab-cli|hub|op|doctl|rclone|heroku|sops|age|containers|configstore|\.wrangler|fly|stripe|vercel|netlify)$/,
  ],
  ['.subversion', /^auth$/],
  ['.cargo', /^credentials/],
  ['.m2', /^settings(?:-security)?\.xml$/],
  ['.gradle', /^gradle\.properties$/],
  ['.snowsql', /^config$/],
  ['age', /^keys\.txt$/],
  ['.supabase', /^access-token$/],
])
