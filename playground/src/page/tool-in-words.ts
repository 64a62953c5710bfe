/** A tool by its name in words: `write_note` is "Write note". */
export function toolInWords(toolName: string): string {
  const words = toolName.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
