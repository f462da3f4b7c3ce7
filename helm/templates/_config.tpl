{{/* Seconds that requests under way get to finish: enough for the largest part from the slowest client. */}}
{{- define "gateway.drainSeconds" -}}
{{- $drain := .Values.drain -}}
{{- ceil (divf $drain.largestPartMiB $drain.slowestClientMiBPerSecond) -}}
{{- end -}}

{{/* Seconds from the order to stop the pod to SIGKILL: the sleep before SIGTERM, the drain and a margin. */}}
{{- define "gateway.graceSeconds" -}}
{{- $drain := .Values.drain -}}
{{- add $drain.preStopSleepSeconds $drain.delaySeconds (include "gateway.drainSeconds" . | int) $drain.marginSeconds -}}
{{- end -}}

{{/* The gateway's configuration file: .Values.config with the settings that the chart decides. */}}
{{- define "gateway.config" -}}
{{- $listener := dict "host" .Values.listen.host "port" (int .Values.listen.port) -}}
{{- if .Values.tls.enabled -}}
{{- $_ := set $listener "tls" (dict "certFile" "/tls/tls.crt" "keyFile" "/tls/tls.key") -}}
{{- end -}}
{{- $admin := dict "host" .Values.admin.host "port" (int .Values.admin.port) -}}
{{/* The admin port is reachable from outside of the pod, so the inspector needs a token. Metrics need none: the network policy says who may read them. */}}
{{- $_ := set $admin "inspector" .Values.admin.inspector.enabled -}}
{{- if include "gateway.tokenSecret" . }}{{ $_ := set $admin "tokenFile" "/admin-token/token" }}{{ end -}}
{{- if and .Values.admin.inspector.enabled (not (dig "peers" false (.Values.config.admin | default dict))) -}}
{{- $_ := set $admin "peers" (dict "dnsName" (printf "%s-peers.%s.svc" (include "gateway.fullname" .) .Release.Namespace)) -}}
{{- end -}}
{{- if not (hasKey (.Values.config.admin | default dict) "openMetrics") }}{{ $_ := set $admin "openMetrics" true }}{{ end -}}
{{- if include "gateway.manageSecret" . }}{{ $_ := set $admin "manage" (dict "tokenFile" "/manage-token/token") }}{{ end -}}
{{- $chart := dict
  "listeners" (list $listener)
  "admin" $admin
  "timeouts" (dict "drainMs" (mul 1000 (include "gateway.drainSeconds" . | int)) "drainDelayMs" (mul 1000 (int .Values.drain.delaySeconds)))
-}}
{{- if include "gateway.managedSecret" . -}}
{{- $_ := set $chart "managedAccounts" (dict "secret" (dict "namespace" .Release.Namespace "name" (include "gateway.managedSecret" .))) -}}
{{- end -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) $chart) -}}
{{- end -}}

{{/* A list of the ports besides 443 to which the gateway connects by its configuration. */}}
{{- define "gateway.namedPorts" -}}
{{- $urls := list -}}
{{- range $_, $backend := .Values.config.backends }}{{ with $backend.endpoint }}{{ $urls = append $urls . }}{{ end }}{{ end -}}
{{- with dig "outbound" "proxy" "" .Values.config }}{{ $urls = append $urls . }}{{ end -}}
{{- range dig "events" "targets" list .Values.config }}{{ with .url }}{{ $urls = append $urls . }}{{ end }}{{ end -}}
{{- range .Values.extraEnv }}{{ if and .value (hasPrefix "OTEL_EXPORTER_OTLP" .name) (hasSuffix "ENDPOINT" .name) }}{{ $urls = append $urls .value }}{{ end }}{{ end -}}
{{- $ports := list -}}
{{- range $urls -}}
{{- $url := urlParse . -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) -}}
{{- if eq $port "" }}{{ $port = ternary "80" "443" (eq $url.scheme "http") }}{{ end -}}
{{- if ne $port "443" }}{{ $ports = append $ports (int $port) }}{{ end -}}
{{- end -}}
{{- toYaml ($ports | uniq) -}}
{{- end -}}

{{/* Name of the secret with the token of the admin port; empty when the configuration names the tokens itself, or when nobody may use the port. */}}
{{- define "gateway.tokenSecret" -}}
{{- $given := .Values.config.admin | default dict -}}
{{- if and .Values.admin.inspector.enabled (not (or $given.tokenFile $given.tokenEnv $given.tokenReview)) -}}
{{- .Values.admin.inspector.existingSecret | default (printf "%s-admin" (include "gateway.fullname" .)) -}}
{{- end -}}
{{- end -}}

{{/* Name of the secret with the token of the admin API; empty when there is no such API, or when the configuration says who may use it. */}}
{{- define "gateway.manageSecret" -}}
{{- if and .Values.admin.manage.enabled (not (dig "manage" false (.Values.config.admin | default dict))) -}}
{{- .Values.admin.manage.existingSecret | default (printf "%s-manage" (include "gateway.fullname" .)) -}}
{{- end -}}
{{- end -}}

{{/* Name of the secret with the accounts that the admin API makes; empty when there is no such API, or when the configuration says where they lie. */}}
{{- define "gateway.managedSecret" -}}
{{- if and .Values.admin.manage.enabled (not .Values.config.managedAccounts) -}}
{{- .Values.admin.manage.accountsSecret | default (printf "%s-managed" (include "gateway.fullname" .)) -}}
{{- end -}}
{{- end -}}

{{/* Whether the gateway asks the API server for anything. It then needs a token of its own. */}}
{{- define "gateway.asksApiServer" -}}
{{- if or (include "gateway.reviewsTokens" .) (include "gateway.managedSecret" .) (dig "managedAccounts" "secret" false .Values.config) }}true{{ end -}}
{{- end -}}

{{/* Whether the gateway asks the API server about tokens. It then needs the permission to ask. */}}
{{- define "gateway.reviewsTokens" -}}
{{- if and .Values.admin.inspector.enabled (dig "tokenReview" false (.Values.config.admin | default dict)) }}true{{ end -}}
{{- end -}}

{{/* The key that the test signs with, YAML: accessKeyId, secretFile or secretEnv. Empty when there is none. */}}
{{- define "gateway.testKey" -}}
{{- $wanted := .Values.test.accessKeyId -}}
{{- $found := dict -}}
{{- range .Values.config.accounts | default list -}}
{{- range (concat (.keys | default list) (dig "keys" list (first (.users | default (list dict))))) -}}
{{- if and (not $found) (or (eq .accessKeyId $wanted) (and (not $wanted) (or .secretFile .secretEnv))) -}}
{{- $found = . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $found }}{{ toYaml $found }}{{ end -}}
{{- end -}}

{{/*
The configuration becomes a ConfigMap and a digest, and variables stand in the pod: more people may read these than secrets.
The schema leaves the first two settings out, too, but tools can be told to skip it.
*/}}
{{- define "gateway.checkSecrets" -}}
{{- $config := toYaml .Values.config -}}
{{- if contains "secretAccessKey:" $config -}}
{{- fail "config: secretAccessKey has no place in a ConfigMap; put it under secrets, and name its file in secretFile" -}}
{{- end -}}
{{- if (.Values.config.sts | default dict).keys -}}
{{- fail "config.sts.keys: they have no place in a ConfigMap; put them under secrets, and name their file in keysFile" -}}
{{- end -}}
{{- if regexMatch "https?://[^/?#\\s\"']*@" $config -}}
{{- fail "config: a URL with a password has no place in a ConfigMap; set it with a variable (S3GW_OUTBOUND__PROXY) that extraEnv takes from a secret" -}}
{{- end -}}
{{- range .Values.extraEnv -}}
{{- if and .value (regexMatch (printf "Env: %s(\n|$)" (regexQuoteMeta .name)) $config) -}}
{{- fail (printf "extraEnv: config names %s as a secret; expected valueFrom with secretKeyRef" .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Checks for mistakes that the schema cannot see. */}}
{{- define "gateway.check" -}}
{{- $values := .Values -}}
{{- if not (or $values.config.accounts $values.config.accountsFrom) -}}
{{- fail "config: expected accounts, or accountsFrom with the files of them" -}}
{{- end -}}
{{- include "gateway.checkSecrets" . -}}
{{- $pods := ternary $values.autoscaling.maxReplicas $values.replicas $values.autoscaling.enabled | int -}}
{{- range $name, $backend := $values.config.backends -}}
{{- if and (has $backend.kind (list "memory" "gcs-double")) (gt $pods 1) -}}
{{- fail (printf "config.backends.%s: kind %s lives in the memory of one process; set replicas to 1, without autoscaling" $name $backend.kind) -}}
{{- end -}}
{{- end -}}
{{- if eq ($values.listen.port | int) ($values.admin.port | int) -}}
{{- fail (printf "admin.port: expected another port than listen.port, %d" ($values.listen.port | int)) -}}
{{- end -}}
{{- range $name, $secret := $values.secrets -}}
{{- if eq (empty $secret.existingSecret) (empty $secret.data) -}}
{{- fail (printf "secrets.%s: expected either existingSecret or data" $name) -}}
{{- end -}}
{{- end -}}
{{- if and $values.tls.enabled (not $values.tls.secretName) (not $values.tls.certificate.enabled) -}}
{{- fail "tls: expected tls.secretName or tls.certificate.enabled" -}}
{{- end -}}
{{- if and $values.tls.certificate.enabled (not $values.tls.certificate.issuerRef) -}}
{{- fail "tls.certificate.issuerRef: expected cert-manager's issuer" -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs: expected the Gateways that the route is for" -}}
{{- end -}}
{{- with $values.cosi -}}
{{- if and .enabled (not .sidecar.image) -}}
{{- fail "cosi.sidecar.image: expected the image of COSI's sidecar" -}}
{{- end -}}
{{- if and .enabled .token.existingSecret .token.audience -}}
{{- fail "cosi.token: expected either existingSecret or audience" -}}
{{- end -}}
{{- if and .enabled (not (or .token.existingSecret .token.audience (include "gateway.manageSecret" $))) -}}
{{- fail "cosi: expected admin.manage.enabled; or, where config.admin.manage says who may manage, cosi.token" -}}
{{- end -}}
{{- end -}}
{{- if and (has (toString $values.rollout.maxUnavailable) (list "0" "0%")) (has (toString $values.rollout.maxSurge) (list "0" "0%")) -}}
{{- fail "rollout: maxUnavailable and maxSurge cannot both be 0" -}}
{{- end -}}
{{- end -}}
