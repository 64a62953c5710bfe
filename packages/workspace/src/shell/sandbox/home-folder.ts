import { homedir } from 'node:os'

/** The home folder of this user. In a container the user may have no name and none: then one that is not there. */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return '/nonexistent'
  }
}
