// What `report --output json` prints.
export interface ReportDocument {
  readonly bytes: number
  readonly command: 'report'
  readonly exitCode: 0
  readonly outcome: 'done'
  readonly path: string
  readonly schemaVersion: 1
  readonly simulated: boolean
}

export const reportDocument = (
  path: string,
  page: string,
  {simulated}: {readonly simulated: boolean},
): ReportDocument => ({
  bytes: Buffer.byteLength(page),
  command: 'report',
  exitCode: 0,
  outcome: 'done',
  path,
  schemaVersion: 1,
  simulated,
})
