export { isSensitivePath } from './sensitive-paths.ts'
