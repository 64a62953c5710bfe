import { describe, expect, it } from 'vitest'
import { judgeCommand } from './judge-command.ts'
import type { Right } from './rights.ts'
import type { CommandRisk } from './verdict.ts'

/** What the parts of a command say, the last of them first. */
function partOf(command: string, rules = {}) {
  const part = judgeCommand(command, rules).parts.at(-1)
  if (!part) throw new Error(`${command} has no part`)
  return part
}

describe('the risk of a command', () => {
  const risks: readonly [string, CommandRisk, ...Right[]][] = [
    ['ls', 'read'],
    ['git status', 'read'],
    ['cat .env', 'read', 'credentials'],
    ['cat ../x', 'read'],
    ['rm x', 'destroy', 'write'],
    ['rm -rf build', 'destroy', 'write'],
    ['dd if=a of=b', 'destroy', 'write'],
    ['mkfs /dev/sda', 'destroy', 'write'],
    ['truncate -s 0 a.log', 'destroy', 'write'],
    ['shred a', 'destroy', 'write'],
    ['find . -delete', 'destroy', 'write'],
    ['find . -name x -exec rm {} +', 'destroy', 'write'],
    ['ls | xargs rm', 'destroy', 'write'],
    ['timeout 5 rm x', 'destroy', 'write'],
    ['sudo rm x', 'destroy', 'write'],
    ['git push', 'write', 'network', 'credentials'],
    ['git push --force', 'destroy', 'network', 'credentials'],
    ['git push -f origin', 'destroy', 'network', 'credentials'],
    ['git push origin +main', 'destroy', 'network', 'credentials'],
    ['git push origin :main', 'destroy', 'network', 'credentials'],
    ['git -C . push --force', 'destroy', 'network', 'credentials'],
    ['git reset --hard', 'destroy', 'write'],
    ['git reset HEAD~1', 'write', 'write'],
    ['git clean -fdx', 'destroy', 'write'],
    ['git checkout .', 'destroy', 'write'],
    ['git checkout main', 'write', 'write'],
    ['git branch -D old', 'destroy', 'write'],
    ['git stash drop', 'destroy', 'write'],
    ['git stash', 'write', 'write'],
    ['git commit -m x', 'write', 'write'],
    ['git fetch', 'write', 'write', 'network', 'credentials'],
    ['git config user.name x', 'write', 'write', 'git-settings'],
    ['git remote add x y', 'write', 'write', 'git-settings'],
    ['echo x > a.txt', 'write', 'write'],
    ['echo x > .git/config', 'write', 'write', 'git-settings'],
    ['sort -o a b', 'write', 'write'],
    ['curl https://example.com', 'write', 'network'],
    ['curl -o x https://example.com', 'write', 'network', 'write'],
    ['npm install', 'write', 'write', 'network'],
  ]
  it.each(risks)('%s is %s', (command, risk, ...needs) => {
    const part = partOf(command)
    expect([part.risk, ...(part.needs ?? [])]).toEqual([risk, ...needs])
  })

  it.each([
    'kubectl delete namespace prod',
    'terraform destroy',
    'docker system prune -af',
    'timeout 5 docker volume rm data',
    'npm unpublish x',
    'npx rimraf dist',
    'rimraf dist',
    'gh repo delete a/b',
    'aws s3 rm s3://bucket --recursive',
    'aws ec2 terminate-instances --instance-ids i-1',
    'heroku apps:destroy x',
    'rails db:drop',
    'redis-cli FLUSHALL',
    'curl -X DELETE https://example.com/1',
    'curl -XDELETE https://example.com/1',
    'curl --request=delete https://example.com/1',
    'rsync -a --delete a/ b/',
    'ssh host rm -rf x',
    "ssh host 'rm -rf x'",
    "psql -c 'drop table users'",
    "sqlite3 a.db 'DELETE  FROM users'",
    'python3 -c "import shutil; shutil.rmtree(\'src\')"',
    'node -e "fs.rmSync(\'src\')"',
    'mkfs.ext4 /dev/sda',
    'dropdb app',
  ])('is that of the words of a program of which nothing more is known: %s', (command) => {
    expect(judgeCommand(command)).toMatchObject({ verdict: 'ask' })
    expect(partOf(command).risk).toBe('destroy')
  })

  it.each([
    'npm rm left-pad',
    'npm remove left-pad',
    'npx vitest run delete.test.ts',
    'python3 prune.py',
    'curl https://example.com/delete',
    'kubectl get pods',
    'frobnicate "drop it"',
  ])('is no other one for words that only look so: %s', (command) => {
    expect(partOf(command).risk).toBe('write')
  })

  it('is said of no words that are shown or searched for', () => {
    expect(partOf('grep -rn delete src').risk).toBe('read')
    expect(partOf("git log --grep 'drop table'").risk).toBe('read')
  })

  it('says of no program that it changes packages but of those that do', () => {
    expect(partOf('npm install').reason).toBe('install changes packages')
    expect(partOf('kubectl get pods').reason).toBe('runs any program that it is given')
  })

  it('is told of a command that a rule allows, too', () => {
    expect(partOf('git push origin', { allow: ['git push *'] })).toMatchObject({
      verdict: 'allow',
      risk: 'write',
      needs: ['network', 'credentials'],
    })
  })
})

describe('a command of which nothing is known', () => {
  it.each([
    'frobnicate x',
    './run.sh',
    'npm test',
    'python3 x.py',
    'make',
    'ls --frobnicate',
    'cat "$file"',
    'git st',
    'FOO=1 ls',
    '$cmd',
    'eval "$x"',
    'timeout 5 frobnicate',
  ])('says so: %s', (command) => {
    expect(partOf(command)).toMatchObject({ verdict: 'ask', isUnknown: true })
  })

  it.each([
    'rm "$file"',
    'echo x > "$file"',
    'sudo frobnicate',
    'curl "$url"',
    'cat .env "$file"',
    'cat ../x',
    'kill 1',
    'git push',
    'frobnicate &',
    'ls\u200B',
    "echo 'unclosed",
  ])('is no other one: %s', (command) => {
    const { verdict, parts } = judgeCommand(command)
    expect(verdict).toBe('ask')
    expect(parts.some((part) => part.verdict === 'ask' && !part.isUnknown)).toBe(true)
  })

  it('is what an app forbids, all the same', () => {
    expect(partOf('frobnicate x', { ask: ['frobnicate *'] }).isUnknown).toBeUndefined()
  })
})

describe('a rule that forbids', () => {
  it.each([
    'git push',
    '/usr/bin/git push',
    'GIT push',
    'git -C . push',
    'git -c x=y push origin',
    'git --git-dir .git push',
    'git --no-pager -c a=b -C . push',
    'command git push',
    'command -p git push',
    'env -i git push',
    'env -u HOME git push',
    'env -S x git push',
    'nice -5 git push',
    'sudo -u me git push',
    'xargs -a x git push',
    'timeout --frobnicate 5 git push',
    'eval git push',
    'exec -a x /usr/bin/git -C . push',
    'busybox git push',
    "sh -c 'git -C . push'",
    'find . -exec git push {} ;',
    'echo $(git -C . push)',
    'x=1 git push',
  ])('is not walked round: %s', (command) => {
    expect(judgeCommand(command, { deny: ['git push *'] }).verdict).toBe('deny')
  })

  it('is stronger than one that allows what stands around it', () => {
    const rules = { allow: ['timeout 5 git push'], deny: ['git push'] }
    expect(judgeCommand('timeout 5 git push', rules).verdict).toBe('deny')
  })

  it('does not meet what only has its words', () => {
    for (const command of ['echo git push', 'git log push', 'grep push a.txt']) {
      expect(judgeCommand(command, { deny: ['git push *'] }).verdict).toBe('allow')
    }
  })
})

describe('a rule that allows', () => {
  const rules = { allow: ['git fetch *', 'cat *', 'frob *', 'tsc --noEmit *'] }

  it.each([
    'git fetch',
    'git fetch origin main',
    'git fetch https://example.com/a.git',
    'frob a b',
    'frob src a=b @c .',
    'tsc --noEmit a.ts',
    'cat "a b"',
  ])('covers %s', (command) => expect(judgeCommand(command, rules).verdict).toBe('allow'))

  it.each([
    'git fetch --upload-pack=./x origin',
    'git fetch --upload-pack ./x',
    'git fetch -o x',
    "git fetch 'ext::sh -c x'",
    'git fetch ext::x',
    'git fetch origin --upload-pack=./x',
    'git -c core.sshCommand=./x fetch origin',
    'frob --plugin=./x a',
    'frob a -x',
    'tsc --noEmit --outDir x',
    'cat .env',
    'cat ../x',
    'cat /etc/passwd',
    'frob .env',
    'frob a ../x',
    'frob /etc/passwd',
    'frob ~/x',
    'frob a=.env',
    'frob @.env',
    'frob file:///etc/passwd',
    'tsc --noEmit a.ts src/.ssh/id_rsa',
    'git fetch ../x',
    'git fetch file:///etc',
  ])('does not cover %s', (command) =>
    expect(judgeCommand(command, rules).verdict).not.toBe('allow'),
  )
})
