/** A small project, as a model finds it. */
export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo\nthree\n',
  'twice.txt': 'x = 1\ny = 2\nx = 1\n',
  'crlf.txt': 'one\r\ntwo\r\n',
  'money.txt': 'cost: 5\n',
  'src/b.ts': 'export const b = 1\n// TODO: more\n',
  'src/deep/c.ts': 'export const c = 2\n',
  'src/c.css': 'a { color: red }\n',
  'node_modules/x/index.ts': '// TODO: not mine\n',
  '.git/config': '[core]\n# TODO\n',
  '.env': 'TODO=swordfish-42\n',
  '.hidden/d.ts': '// TODO: hidden\n',
  'config.yaml': 'password: swordfish-42\nport: 80\n',
}
