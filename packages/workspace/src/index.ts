export { createWorkspaceTools } from './create-workspace-tools.ts'
export type {
  AttachingToolSet,
  WorkspaceTools,
  WorkspaceToolSet,
  WorkspaceToolsOptions,
} from './create-workspace-tools.ts'
export type { Attach, AttachedFile, AttachInput } from './attach.ts'
export type { BashInput } from './bash.ts'
export type { EditInput } from './edit.ts'
export type { GlobInput } from './glob.ts'
export type { GrepInput } from './grep.ts'
export type { ReadInput } from './read.ts'
export type { ReadToolOutputInput } from './read-tool-output.ts'
export type { ApproveCall } from './to-ai-tool.ts'
export type { WriteInput } from './write.ts'
export type { WorkspaceRoot } from './roots.ts'
export { WorkspaceRefusal } from './refusal.ts'
export type { Refusal, RefusalCode } from './refusal.ts'
export { isSensitivePath } from './sensitive-paths.ts'
