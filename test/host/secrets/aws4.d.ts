// What the tests use of aws4, which has no types of its own.
declare module 'aws4' {
  interface Signed {
    readonly headers?: Readonly<Record<string, string>>
  }
  const aws4: {sign(request: object, credentials: object): Signed}
  export default aws4
}
