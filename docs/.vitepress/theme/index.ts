// The theme without its fonts: the docs make no external request.
export { default } from 'vitepress/theme-without-fonts'
