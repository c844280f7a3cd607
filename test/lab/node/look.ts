// Runs on a lab machine and reports what Windows itself says of the node: services, rules, environment, adapters.
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {LabNodeView, ServiceView} from './node-view.js'

const SERVICES = ['containerd', 'docker', 'flanneld', 'hns', 'k8s-win', 'k8s-win-run', 'kubelet', 'kubeproxy']
const SERVICES_KEY = String.raw`SYSTEM\CurrentControlSet\Services`
const RULES_KEY = `${SERVICES_KEY}\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules`
const SESSION_KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager`
const ENVIRONMENT_KEY = `${SESSION_KEY}\\Environment`

const {win32} = openRealMachine()
const services: Record<string, ServiceView> = {}
for (const name of SERVICES) {
  const [config, status] = [await win32.queryServiceConfig(name), await win32.queryServiceStatus(name)]
  const key = await win32.registryValues('HKLM', `${SERVICES_KEY}\\${name}`)
  if (config && status) services[name] = {config, key, status}
}
const view: LabNodeView = {
  adapters: await win32.adapters(),
  environment: await win32.registryValues('HKLM', ENVIRONMENT_KEY),
  firewall: await win32.registryValues('HKLM', RULES_KEY),
  pendingRenames: (await win32.registryValue('HKLM', SESSION_KEY, 'PendingFileRenameOperations'))?.data,
  services,
}
process.stdout.write(JSON.stringify(view))
