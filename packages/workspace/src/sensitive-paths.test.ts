import { describe, expect, it } from 'vitest'
import { canEndSensitiveName, isSensitivePath } from './sensitive-paths.ts'

const SENSITIVE = [
  // Settings of apps
  '.env .env.local .env.production .env-prod .env_test .ENV .env. prod.env app/.envrc .env.vault .flaskenv .dev.vars',
  '.dev.vars.production local.settings.json appsettings.Local.json appsettings.Secrets.json wp-config.php config/master.key',
  // Copies of them
  '.env~ .env.swp .env.swo .#.env #.env# .env.bak .env.orig .env.save .env.1 .auth.json.swp .#auth.json auth.json~ auth.json.bak',
  '.id_rsa.swp id_rsa.bak id_rsa~ server.key.old server.pem~ .npmrc.bak .npmrc~ credentials.json.orig .netrc.save .#credentials',
  'secrets.yml.tmp .env~1~ .pgpass.rpmsave .env.dpkg-old',
  // Programs
  '.netrc _netrc .authinfo .authinfo.gpg .pgpass pgpass.conf .pg_service.conf .my.cnf .mylogin.cnf .npmrc npmrc .npmrc.work',
  '.pnpmrc .yarnrc .yarnrc.yml .pypirc pip.conf .condarc .terraformrc terraform.rc .git-credentials .gitconfig .hgrc .dockercfg',
  '.s3cfg .boto .vault-token .htpasswd .databrickscfg .twurlrc .smbcredentials .msmtprc rclone.conf auth.json hosts.yml hosts.yaml',
  'token.json token.pickle access_tokens.db key4.db logins.json wallet.dat NuGet.Config .claude.json .claude/.credentials.json',
  '.gemini/oauth_creds.json .codex/auth.json .config/gh/hosts.yml .config/gcloud/x .config/rclone/rclone.conf .config/op/config',
  '.config/.wrangler/config/default.toml .wrangler/config/default.toml .subversion/auth/svn.simple/1 .m2/settings.xml',
  '.gradle/gradle.properties .cargo/credentials .cargo/credentials.toml .gem/credentials .snowsql/config .supabase/access-token',
  '.composer/auth.json .config/sops/age/keys.txt sops/age/keys.txt .pulumi/credentials.json .terraform.d/credentials.tfrc.json',
  // Clouds
  'application_default_credentials.json service-account.json service_account.json serviceAccount.json prod-service-account.json',
  'service-accounts.json client_secret.json client_secret_12-ab.apps.example.json clientsecret.json',
  'app-firebase-adminsdk-ab12c-0f.json firebase-adminsdk.json gcp-key.json google-key.json sa-key.json serviceAccountKey.json',
  '.aws/credentials .aws/config .aws/sso/cache/0a.json .azure/msal_token_cache.json .gcloud/x .kube/config .docker/config.json',
  '.oci/config .aliyun/config.json .cloudflared/cert.pem kubeconfig prod.kubeconfig kubeconfig.yaml creds.json gcp_creds.yaml',
  // Keys
  'id_rsa id_ed25519 id_ed25519_sk id_rsa.old id_ed25519-work id_ecdsa identity ID_RSA .ssh/anything a/.ssh/config .gnupg/x.kbx',
  'AuthKey_ABC123.p8 x.pem x.key x.p12 x.pkcs12 x.pfx x.jks x.keystore x.truststore x.keytab x.kdbx x.agekey x.ppk x.asc x.gpg',
  'x.ovpn x.mobileprovision x.publishsettings x.pem.bak login.keychain-db x.psafe3 terraform.tfstate terraform.tfstate.backup',
  'prod.tfvars prod.tfvars.json api_keys.json api-key.txt apikey passwords.txt db_password shadow passwd authorized_keys known_hosts',
  '.envs/prod .env.d/db gha-creds-0a1b.json appsettings.Production.json appsettings.Staging.json appsettings.Prod.json',
  'appsettings.Local.json appsettings.eu.Production.json .sentryclirc .dockerconfigjson .Renviron wg0.conf wg-home.conf wg.conf',
  'my_id_rsa work-id_ed25519 deploy_key deploy-key.txt prod.deploy_key access_token.txt oauth_token oauth-tokens.json auth_token',
  '.curlrc .wgetrc .ansible_vault_pass .vault_pass.txt vault.yml env.production env.local refresh_token.json',
  'token keystore run/token .token token.bak Keystore .direnv/x cookies.txt Cookies Default/Cookies .tokens access_token .anthropic/x',
  // Shells, Git and folders
  '.bash_history .zsh_history .python_history .mysql_history .irb_history .history .bashrc .profile .zshenv .viminfo .lesshst',
  '.git/worktrees/a .git/credentials .zlogin .inputrc x.pk8 x.tfvars.bak .fly/config.yml .step/config/defaults.json .chef/knife.rb',
  '.git/config repo.git/hooks/pre-commit .git/modules/a/config secrets/a.txt .secrets/x a/private-keys/b .password-store/a.b',
].flatMap((line) => line.split(' '))

const PLAIN = [
  // What looks like one
  '.env.example .env.sample .env.template .env-dist .dev.vars.example .npmrc.example config.example id_rsa.pub id_ed25519.pub',
  'environment.ts env.ts env.d.ts .environment .environments.md dev.vars vars.dev devvars envelope.json .eslintrc .prettierrc',
  'node_modules/d3-array/src/identity.js node_modules/es-toolkit/dist/function/identity.mjs lodash-es/identity.js identity.ts',
  'identity.d.ts yaml/dist/nodes/identity.js identity.py identity-provider.ts Identity.vue src/identity/index.ts identity.md',
  'credentials.ts credentials.test.ts secrets.ts secret-names.ts password.vue password-input.tsx passwords.py api-keys.ts api_key.go',
  'service-account.ts service_account.py token.ts tokens.json tokens.css design-tokens.json token-finder.ts auth.ts auth.js auth.tsx',
  'authorize.json oauth.md hosts.ts hosts ghosts.yml history.ts history.json browser-history.md key.ts keys.ts keys.txt keyboard.json',
  'key-codes.json monkey.json keymap.json turnkey.md whiskey.txt donkey.json key4.ts wallet.ts master.ts publickey.json',
  'sensitive-paths.ts access.ts accessors.json account.json accounts.yml account-keys.ts firebase.json google.json sa.json gcp.json',
  'gcloud/deploy.sh gh/readme.md op/index.ts age/index.ts config/gcloud.ts auth/index.ts src/auth/svn.ts settings.xml gradle.properties',
  'node_modules/cookies/index.js cookies.ts cookies.md src/cookies/index.ts appsettings.Development.json swg.conf wgpu.toml',
  'login-data.ts access_token.go tokens.ts direnv.md .envrc.d.ts.example sentryclirc.md anthropic/index.js envs/prod.ts',
  'certifi/cacert.pem ca-certs.pem my_id_rsa.pub deploy-keys.ts access-token.ts vault.ts vault.md oauth-token.test.ts env.js env.json',
  'grid_rsa.ts valid_rsa deploy.yml deploy_keyboard.md src/token/index.ts token.go keystore/index.ts token/ src/keystore/ environment.production',
  // Everyday files
  'README.md package.json pnpm-lock.yaml tsconfig.json vite.config.ts .gitignore .gitattributes .github/workflows/ci.yml Dockerfile',
  'docker-compose.yml Makefile index.html main.css app.vue a.test.ts go.mod Cargo.toml Cargo.lock pyproject.toml requirements.txt',
  'setup.cfg appsettings.json appsettings.Development.json nginx.conf logo.svg data.csv notes.txt CHANGELOG.md LICENSE wrangler.toml',
  'wrangler.jsonc terraform.tf main.tf vercel.json netlify.toml supabase/config.toml fly.toml .editorconfig .nvmrc .node-version',
  '.vscode/settings.json .idea/x.iml .git/HEAD .git/index .git/refs/heads/main main.js~ notes.txt.bak a.swp .#notes.md #notes.md#',
  '.a.ts.swp b.orig copy.ts x.tmp robots.txt tailwind.config.js src/main.rs lib/parser.rb Gemfile poetry.lock docs/index.md public/favicon.ico',
].flatMap((line) => line.split(' '))

describe('the name of a file', () => {
  it('is of a corpus that is large enough', () => {
    expect(new Set(SENSITIVE).size).toBeGreaterThanOrEqual(150)
    expect(new Set(PLAIN).size).toBeGreaterThanOrEqual(150)
  })

  it.each(SENSITIVE)('%s asks', (path) => {
    expect(isSensitivePath(path)).toBe(true)
    expect(isSensitivePath(`/work/a b/${path}`)).toBe(true)
    expect(isSensitivePath(`C:\\work\\${path.replaceAll('/', '\\').toUpperCase()}`)).toBe(true)
  })

  it.each(PLAIN)('%s does not', (path) => {
    expect(isSensitivePath(path)).toBe(false)
    expect(isSensitivePath(`/work/a b/${path}`)).toBe(false)
  })

  it.each([
    'Login Data',
    'Default/Login Data',
    'Login Data For Account',
    '.env copy',
    '.env - copy',
    'id_rsa (1)',
    'credentials (2).json',
    'credentials copy.json',
    '.env::$DATA',
    'id_rsa:stream',
    '.env ',
    './/.env/.',
  ])('%j asks, however it is written', (path) => {
    expect(isSensitivePath(path)).toBe(true)
  })

  it.each(['a copy.txt.md', 'photo (1).png', 'notes - copy.md'])('%j does not', (path) => {
    expect(isSensitivePath(path)).toBe(false)
  })

  it('takes linear time, however long it is', () => {
    for (const unit of ['.bak', '~', '.1', '#', '.env', 'a_', '.#', ' copy']) {
      const started = process.threadCpuUsage()
      isSensitivePath(unit.repeat(20_000))
      expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(500)
    }
  })
})

describe('the ending of a pattern', () => {
  it('can be that of a sensitive name, wherever a file of the corpus has it', () => {
    for (const path of SENSITIVE) {
      // After these names comes what anybody likes.
      if (/^(?:\.env|\.dev\.vars|\.npmrc|id_[a-z0-9]+)[._-]/i.test(path)) continue
      const ending = /(?!^)(\.[A-Za-z0-9]+)$/.exec(path.slice(path.lastIndexOf('/') + 1))?.[1]
      const isByFolder = !isSensitivePath(path.slice(path.lastIndexOf('/') + 1))
      if (ending === undefined || isByFolder) continue
      expect([path, canEndSensitiveName(ending)]).toEqual([path, true])
    }
  })

  it.each([
    '.ts',
    '.tsx',
    '.js',
    '.mjs',
    '.vue',
    '.md',
    '.py',
    '.go',
    '.rs',
    '.css',
    '.html',
    '.svg',
  ])('%s cannot', (ending) => {
    expect(canEndSensitiveName(ending)).toBe(false)
  })
})
