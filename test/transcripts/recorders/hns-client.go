// What flannel, the CNI plugins and kube-proxy ask of the Host Networking Service, asked by their own client library.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"

	"github.com/Microsoft/hcsshim"
)

func tell(name string, value interface{}, err error) {
	said := ""
	if err != nil {
		said = err.Error()
	}
	line, _ := json.Marshal(map[string]interface{}{"error": said, "name": name, "read": value})
	fmt.Fprintln(os.Stdout, string(line))
}

func main() {
	globals, err := hcsshim.GetHNSGlobals()
	tell("globals", globals, err)
	networks, err := hcsshim.HNSListNetworkRequest("GET", "", "")
	tell("networks", networks, err)
	_, err = hcsshim.GetHNSNetworkByName("nothing")
	tell("network-missing", nil, err)

	network := &hcsshim.HNSNetwork{
		Name: "vxlan0", NetworkAdapterName: "Ethernet0", Type: "Overlay",
		Subnets: []hcsshim.Subnet{{
			AddressPrefix: "10.244.3.0/24", GatewayAddress: "10.244.3.1",
			Policies: []json.RawMessage{json.RawMessage(`{"Type":"VSID","VSID":4096}`)},
		}},
	}
	made, err := network.Create()
	tell("network-create", made, err)
	_, err = network.Create()
	tell("network-create-again", nil, err)
	byName, err := hcsshim.GetHNSNetworkByName("vxlan0")
	tell("network-by-name", byName, err)
	if byName == nil {
		return
	}
	byID, err := hcsshim.GetHNSNetworkByID(byName.Id)
	tell("network-by-id", byID, err)

	mac := json.RawMessage(`{"Type":"PA","PA":"10.0.0.5"}`)
	pod := &hcsshim.HNSEndpoint{
		Name: "pod_vxlan0", VirtualNetwork: byName.Id, IPAddress: net.ParseIP("10.244.3.7"),
		MacAddress: "0E-2A-0a-f4-03-07", Policies: []json.RawMessage{mac},
	}
	endpoint, err := pod.Create()
	tell("endpoint-create", endpoint, err)
	outside := &hcsshim.HNSEndpoint{Name: "outside", VirtualNetwork: byName.Id, IPAddress: net.ParseIP("10.9.9.9")}
	_, err = outside.Create()
	tell("endpoint-outside", nil, err)
	endpoints, err := hcsshim.HNSListEndpointRequest()
	tell("endpoints", endpoints, err)
	_, err = hcsshim.GetHNSEndpointByName("nothing")
	tell("endpoint-missing", nil, err)
	if endpoint == nil {
		return
	}
	list, err := hcsshim.AddLoadBalancer([]hcsshim.HNSEndpoint{*endpoint}, false, "10.244.3.2", "10.10.0.10", 17, 53, 53)
	tell("load-balancer", list, err)
	lists, err := hcsshim.HNSListPolicyListRequest()
	tell("policy-lists", lists, err)
	if list != nil {
		_, err = list.Delete()
		tell("load-balancer-delete", nil, err)
	}
	_, err = endpoint.Delete()
	tell("endpoint-delete", nil, err)
	_, err = endpoint.Delete()
	tell("endpoint-delete-again", nil, err)
	_, err = byName.Delete()
	tell("network-delete", nil, err)
}
