// Who runs this program, for others who would like to know.
export interface Caller {
  readonly processId: number
  /** DOMAIN\name on Windows; empty where the environment does not tell. */
  readonly user: string
}

export function thisCaller(environment: NodeJS.ProcessEnv = process.env, processId: number = process.pid): Caller {
  const {USER, USERDOMAIN, USERNAME} = environment
  const name = USERNAME ?? USER ?? ''
  return {processId, user: USERDOMAIN && name ? `${USERDOMAIN}\\${name}` : name}
}
