/** The Temporal CLI of the embedded stack (server 1.29.1, UI 2.42.1), the same as in `go.mod` of this folder. */
export const CLI_VERSION = '1.5.1'
