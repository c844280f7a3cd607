/** Where a test is about what is said on a pipe, not about who serves it. */
export const ANY_PIPE = {demand: () => Promise.resolve()}
