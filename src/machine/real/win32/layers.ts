// Layers of containers and images (microsoft/hcsshim, internal/wclayer). That containerd's own layers can be removed without it
// is assumed (assumption layers-without-containerd).
import {Win32Error, type Win32} from '../../win32.js'
import {functionsOf, lazily, type LazyNative} from './library.js'
import {enablePrivileges} from './process-token.js'

/** A filter driver's layers, whose paths are whole: no folder for all of them. */
const DRIVER = {flavour: 1, home: ''}
/** A layer has files that administrators have no access to. */
const PRIVILEGES = ['SeBackupPrivilege', 'SeRestorePrivilege']

export function openLayers(native: LazyNative): Pick<Win32, 'destroyLayer'> {
  const open = lazily(native, (opened) =>
    functionsOf(
      opened,
      'vmcompute.dll',
      {destroy: 'int32_t DestroyLayer(in driver, str16)'},
      {driver: opened.koffi.struct({flavour: 'int64_t', home: 'str16'})},
    ),
  )
  return {
    async destroyLayer(path) {
      const {destroy} = await open()
      await enablePrivileges(await native(), PRIVILEGES)
      const {result} = await destroy(DRIVER, path)
      // An HRESULT of Windows' own errors has the error in its lower half.
      if (result < 0) throw new Win32Error('DestroyLayer', result & 0xff_ff, path)
    },
  }
}
