export { createRedactor } from './create-redactor.ts'
export type { RedactorOptions, SecretPattern } from './create-redactor.ts'
export type { Redact, RedactContext } from '../redact.ts'
