// The catch-all beside it begins below its folder.
export { default } from './[...]'
