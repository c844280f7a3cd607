// The Win32 error codes that k8s-win distinguishes (winerror.h).

export const ERROR_SUCCESS = 0
export const ERROR_INVALID_FUNCTION = 1
export const ERROR_FILE_NOT_FOUND = 2
export const ERROR_PATH_NOT_FOUND = 3
export const ERROR_ACCESS_DENIED = 5
/** What Wine answers to the gateway flag of GetAdaptersAddresses. */
export const ERROR_INVALID_DATA = 13
export const ERROR_NO_MORE_FILES = 18
/** A drive without a disc in it. */
export const ERROR_NOT_READY = 21
export const ERROR_NOT_SUPPORTED = 50
/** A process opens a private namespace a second time, by the same prefix. */
export const ERROR_DUP_NAME = 52
/** What OpenProcess says of a process that is not there. */
export const ERROR_INVALID_PARAMETER = 87
export const ERROR_BUFFER_OVERFLOW = 111
export const ERROR_INSUFFICIENT_BUFFER = 122
/** A service manager that does not know this part of a service's configuration. */
export const ERROR_INVALID_LEVEL = 124
export const ERROR_MOD_NOT_FOUND = 126
export const ERROR_PROC_NOT_FOUND = 127
export const ERROR_ALREADY_EXISTS = 183
export const ERROR_PIPE_BUSY = 231
export const ERROR_MORE_DATA = 234
export const ERROR_NO_MORE_ITEMS = 259
export const ERROR_SERVICE_DOES_NOT_EXIST = 1060
/** Setting an owner other than the caller and its groups requires a privilege. */
export const ERROR_INVALID_OWNER = 1307
export const ERROR_UNSUPPORTED_TYPE = 1630
/** EvtNext, where a batch is too large: "The array bounds are invalid." */
export const RPC_S_INVALID_BOUND = 1734
export const ERROR_OBJECT_ALREADY_EXISTS = 5010
