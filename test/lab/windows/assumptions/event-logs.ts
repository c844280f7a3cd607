// The assumption about event logs: the channels are there, and their entries can be read.
import {openEventLog} from '../../../../src/host/event-log.js'
import {Win32Error} from '../../../../src/machine/win32.js'
import {compared, type Settler} from './settler.js'

const CHANNELS = [
  'System',
  'Microsoft-Windows-Host-Network-Service-Admin',
  'Microsoft-Windows-Host-Network-Service-Operational',
  'Microsoft-Windows-Hyper-V-Compute-Admin',
  'Microsoft-Windows-Hyper-V-Compute-Operational',
]

export const eventChannels: Settler = async ({machine: {win32}}) => {
  const log = openEventLog(win32)
  const missing: string[] = []
  const unread: string[] = []
  for (const channel of CHANNELS) {
    try {
      const events = await log.newest(channel, 3)
      if (events.some(({at, id, provider}) => at === '' || Number.isNaN(id) || provider === '')) unread.push(channel)
    } catch (error) {
      if (!(error instanceof Win32Error)) throw error
      missing.push(`${channel} (${error.call} ${error.code})`)
    }
  }

  const seen = [`missing: ${missing.join(', ') || 'none'}`, `not understood: ${unread.join(', ') || 'none'}`].join('; ')
  return compared(missing.length + unread.length === 0, seen, 'all are there, and their entries are understood')
}
