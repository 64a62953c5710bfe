export { AssentComponents, type AssentComponentsOptions } from './install.ts'
