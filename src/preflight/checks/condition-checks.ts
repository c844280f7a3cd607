// Checks of the state of Windows: pending restarts, firewall policy, long paths, antivirus.
import {NEEDED_RULES} from '../../components/firewall-rules.js'
import {firewallPolicy} from '../../errors/condition.js'
import {restartRequired} from '../../errors/restart.js'
import type {FirewallRule} from '../../host/firewall.js'
import {FIREWALL_PROFILES, type FirewallProfile, isOpen, profileOf} from '../../host/firewall-policy.js'
import {check, type Check, pass, warn} from '../check.js'
import {dataRootOf} from '../planned-writes.js'

/** The longest log name (klog's) needs 110 of the 260 characters of a Windows path. */
const LONGEST_BASE_DIR = 150

const pendingRestart = check('pending-restart', {on: 'host', title: 'Pending restart'}, async ({host}) => {
  const pending = await host.condition.pendingRestarts()
  const demanded = pending.filter((one) => one.demanded)
  if (demanded.length > 0) throw restartRequired({reasons: demanded.map(({reason}) => reason).join('; ')})
  const [first] = pending
  if (!first) return pass('none')
  return warn(
    `a program requested a restart: ${first.reason} (PendingFileRenameOperations)`,
    'Restart Windows at a convenient time; setup does not require it.',
  )
})

const localRules = check('firewall-policy', {area: 'firewall', title: 'Firewall policy'}, async (facts) => {
  const {host} = facts
  const {ignoring, rules} = await host.firewall.policy()
  if (ignoring.length === 0) return pass('local firewall rules apply')
  const closedIn = (profile: FirewallProfile): FirewallRule[] =>
    ignoring.includes(profile) ? NEEDED_RULES.filter((rule) => !isOpen(rules, profile, rule)) : []
  const closing = FIREWALL_PROFILES.filter((profile) => closedIn(profile).length > 0)
  if (closing.length === 0) return pass('a group policy ignores local firewall rules, and allows the ports itself')

  // An adapter that cannot be chosen is reported by its own check.
  const adapter = await facts.interface().catch(() => undefined)
  const active = adapter && (await profileOf(host.events, adapter.name))
  if (active && !closing.includes(active)) {
    return pass(
      `local firewall rules apply in the profile ${active} of "${adapter.name}"; not in ${closing.join(', ')}`,
    )
  }
  const profiles = active ?? closing.join(', ')
  const closed = new Set(closing.filter((one) => !active || one === active).flatMap(closedIn))
  const ports = [...closed].map(({port, protocol}) => `${protocol} ${port}`).join(' and ')
  if (active || closing.length === FIREWALL_PROFILES.length) throw firewallPolicy({ports, profiles})
  return warn(
    `in the profile ${profiles} a group policy ignores local firewall rules, and Windows does not report which profile is active`,
    `Check with "netsh advfirewall monitor show currentprofile". If it is ${profiles}, allow ${ports} inbound in the policy itself.`,
  )
})

const longPaths = check('long-paths', {on: 'host', title: 'Long paths'}, async ({config, host}) => {
  const {length} = config.baseDir
  if (await host.condition.longPaths()) return pass('enabled')
  if (length <= LONGEST_BASE_DIR) return pass(`disabled, and not required for ${config.baseDir}`)
  return warn(
    `the base directory has ${length} characters, and Windows programs are limited to 260 for a full path`,
    String.raw`Use a shorter --base-dir, or enable long paths ("reg add HKLM\SYSTEM\CurrentControlSet\Control\FileSystem /v LongPathsEnabled /t REG_DWORD /d 1").`,
  )
})

const antivirus = check('antivirus', {on: 'host', title: 'Antivirus'}, async (facts) => {
  const {config, host} = facts
  const exclusions = await host.condition.defenderExclusions()
  if (!exclusions) return pass('Microsoft Defender is not running, or does not report its exclusions')
  const dataRoot = await dataRootOf(facts)
  const scanned = [config.baseDir, dataRoot].filter((folder) => folder !== '' && !isExcluded(folder, exclusions))
  if (scanned.length === 0) return pass('Microsoft Defender excludes the folders')
  return warn(
    `Microsoft Defender scans ${scanned.join(' and ')}: unpacking image layers can fail with "Access is denied"`,
    `Exclude them, in PowerShell: Add-MpPreference -ExclusionPath ${scanned.map((folder) => `'${folder}'`).join(', ')}`,
  )
})

function isExcluded(folder: string, exclusions: readonly string[]): boolean {
  const inside = `${folder.toLowerCase()}\\`
  return exclusions.some((exclusion) => inside.startsWith(`${exclusion.replace(/(?<!\\)\\+$/, '')}\\`))
}

export const CONDITION_CHECKS: readonly Check[] = [pendingRestart, longPaths, localRules, antivirus]
