const section = (index: number): string => `## ${index}. Moving the archive

The archive holds **three kinds** of files, and each has its *own* owner. Before anything is moved, the list in \`archive/index.json\` has to be read; it names ${index * 40} folders, of which some are linked from [the handbook](https://example.com/handbook/${index}) and must keep their place.[^${index}]

- **Contracts** stay where they are, because \`legal/sign.ts\` looks for them by path
- Drafts may go:
  1. those older than a year
  2. those that ~~nobody~~ no page links to
     - [x] checked by **hand**
     - [ ] checked by the *script*
- Pictures are made smaller first

| Folder | Files | Size | What becomes of it |
|---|---:|---:|:---|
| \`contracts/${index}\` | 214 | 1.2 GB | stays, **read only** |
| \`drafts/${index}\` | 1,903 | 340 MB | moved to [storage](https://example.com/s) |
| \`pictures/${index}\` | 87 | 96 MB | made *smaller*, then moved |

\`\`\`ts
export async function move(folder: string, target: URL): Promise<number> {
  const files = await list(folder)
  // Whatever is linked keeps its place
  const free = files.filter((file) => !isLinked(file))
  for (const file of free) await copy(file, new URL(file.name, target))

  return free.length
}
\`\`\`

> The first run only *says* what it would do. **Nothing** is deleted before somebody has looked at the
> list, and a second copy is kept for \`30\` days.

### What is left to decide

Whether step ${index} waits for the backup of __Tuesday__, or goes on with the one from *last week*: \`backup-${index}.tar\` is complete, but nobody has tried to read it back.

[^${index}]: The handbook is checked every night, see \`ci/links.yml\`.

`

/** About 11 KB of Markdown with everything in it that an answer has. */
export const longAnswer: string = [1, 2, 3, 4, 5, 6, 7].map(section).join('')
