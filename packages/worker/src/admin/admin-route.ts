/** A request that was let in. */
export interface AdminRequest {
  readonly request: Request
  readonly user: string
  /** What stands in the places of `:name` in the route. */
  readonly values: ReadonlyMap<string, string>
}

/** Something that can be asked for. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST'
  /** The parts of the address behind the mount point; `:name` is any. */
  readonly path: readonly string[]
  readonly answer: (asked: AdminRequest) => Response | Promise<Response>
}
