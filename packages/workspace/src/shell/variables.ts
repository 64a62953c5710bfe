/** Variables that programs are told of in an assignment before a command, and that steer nothing. */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|CI|NODE_ENV|DEBUG|RUST_BACKTRACE|RUST_LOG|LOG_LEVEL|VERBOSE)$/

/** Whether a program may be given a variable of this name, whatever its value. */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name)
}

/**
 * Whether the shell may keep a variable of this name. Those that bash or programs know have names in
 * capitals, apart from a few.
 */
export function isOwnVariable(name: string): boolean {
  return (
    /^_?[a-z][a-z0-9_]*$/.test(name) &&
    !name.endsWith('_proxy') &&
    !/^(?:auto_resume|histchars)$/.test(name)
  )
}
