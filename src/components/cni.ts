// cni.conf: flannel delegates to win-overlay, with the policies dockershim's HNS v1 understands.
import {NETWORK_NAME, type SetupConfig} from '../config/model.js'

export function cniConfiguration(config: SetupConfig): string {
  const policy = (value: object): object => ({name: 'EndpointPolicy', value})
  const document = {
    cniVersion: '0.3.0',
    name: NETWORK_NAME,
    type: 'flannel',
    capabilities: {dns: true},
    delegate: {
      type: 'win-overlay',
      policies: [
        policy({Type: 'OutBoundNAT', ExceptionList: [config.clusterCIDR, config.serviceCIDR]}),
        policy({Type: 'ROUTE', DestinationPrefix: config.serviceCIDR, NeedEncap: true}),
      ],
    },
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}
