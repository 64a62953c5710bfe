// A part of what a user has from `vite/client`.
declare module '*.css' {}
