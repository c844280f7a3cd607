// Every assumption of the simulator with what settles it. Those that may cut the host off come last.
import {dockerVersion, pipeServerProcess} from './docker-version.js'
import {daemonFlags} from './daemon-flags.js'
import {eventChannels} from './event-logs.js'
import {restartPending} from './failure-actions.js'
import {atomicWriteAcl, securityAsSet, serverComponentCache} from './files.js'
import {firewallProfileEvents} from './firewall.js'
import {hnsRefusals, hnsVersion} from './hns.js'
import {routeOrigin} from './routes.js'
import {registryKey, serviceEnvironment} from './service-relations.js'
import {exitBeforeConnect, silentProcess} from './services.js'
import {forAPerson, type Settler} from './settler.js'
import {hnsNetworkInUse, hnsRestart, switchOffline, switchRemoved} from './switch.js'

export const SETTLERS: Readonly<Record<string, Settler>> = {
  'atomic-write-acl': atomicWriteAcl,
  'cloud-firmware': forAPerson('it takes a virtual machine of each cloud'),
  'cloud-secrets': forAPerson('it takes a virtual machine of each cloud'),
  'containerd-old-kubelets': forAPerson('it takes a cluster of 1.24 and one of 1.31'),
  'containerd-older-major': forAPerson('it may cost the images and pods of a node'),
  'containers-pending': forAPerson('it takes a Windows Server without the feature, and a restart'),
  'crictl-windows-image': forAPerson('it takes a node with containerd'),
  'ctr-windows-texts': forAPerson('texts of programs, read by people only'),
  'daemon-log-texts': forAPerson('texts of programs, read by people only'),
  'delete-by-handle': forAPerson('the suite "files" tries it'),
  'dism-feature': forAPerson('it may change the features of this Windows'),
  'docker-version-strings': dockerVersion,
  'event-channels': eventChannels,
  'firewall-profile-events': firewallProfileEvents,
  'flush-order': forAPerson('it takes a machine whose power can be cut off'),
  'foreground-console': forAPerson('it takes a node, and a user at its console'),
  'hidden-child-console': forAPerson('the suite "shawl" tries it'),
  'hns-version': hnsVersion,
  'kubelet-flags-edges': daemonFlags,
  'launcher-names': forAPerson('it takes a virtual machine of each cloud'),
  'lock-namespace': forAPerson('the suite "security" tries it, but for two accounts at once'),
  'layers-without-containerd': forAPerson('it costs the images and pods of a node'),
  'log-runner-process': forAPerson('it takes a kubelet of 1.26 or newer'),
  'management-address': forAPerson('it takes the address of the host away'),
  'netsh-interface': forAPerson('it changes the addresses of this host'),
  'peer-process': forAPerson('the suite "network" tries it, but for a connection that nobody has accepted'),
  'persistent-routes': forAPerson('it changes the stored routes of this host'),
  'pipe-server-process': pipeServerProcess,
  'pod-curl-codes': forAPerson('it takes a node with pods'),
  'pods-inherit-only': forAPerson('it takes a node with pods'),
  'route-origin': routeOrigin,
  'security-as-set': securityAsSet,
  'tables-for-people': forAPerson('texts of programs, read by people only'),
  'server-component-cache': serverComponentCache,
  'restart-windows': forAPerson('it restarts Windows'),
  'scm-environment': serviceEnvironment,
  'scm-restart-pending': restartPending,
  'shawl-stop-between': forAPerson('it is a matter of the moment'),
  'wrapped-daemons-end-in-time': forAPerson('it ends the pods of a node'),
  'userdata-launchers': forAPerson('it takes a virtual machine of each cloud'),
  'userdata-programs': forAPerson('it writes to Program Files, and downloads a program'),
  'scm-registry-key': registryKey,
  'scm-exit-before-connect': exitBeforeConnect,
  'scm-silent-process': silentProcess,
  'hns-refusals': hnsRefusals,
  'vswitch-connections': forAPerson('it takes a server on another host'),
  'vswitch-offline': switchOffline,
  'hns-network-in-use': hnsNetworkInUse,
  'hns-restart': hnsRestart,
  'vswitch-removed': switchRemoved,
}
