export type { UseMessageReturn } from './use-message.ts'
