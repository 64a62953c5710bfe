/** Diagrams by `mermaid`, drawn in a frame of their own that can neither load nor reach anything. */
export { mermaid, type MermaidOptions } from './mermaid.ts'
