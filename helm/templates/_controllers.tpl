{{/* Annotations of the Service: those of the user, and those that GKE's Ingress needs. */}}
{{- define "gateway.serviceAnnotations" -}}
{{- $own := dict -}}
{{- if and .Values.ingress.enabled (eq .Values.ingress.controller "gke") -}}
{{- $own = dict
  "cloud.google.com/neg" `{"ingress": true}`
  "cloud.google.com/backend-config" (printf `{"default": %q}` (include "gateway.fullname" .))
-}}
{{- end -}}
{{- $all := merge (deepCopy .Values.service.annotations) $own -}}
{{- if $all }}{{ toYaml $all }}{{ end -}}
{{- end -}}

{{/* Annotations of the Ingress for controllers that need some. The user's win over them. */}}
{{- define "gateway.ingressAnnotations" -}}
{{- $own := dict -}}
{{- if eq .Values.ingress.controller "agic" -}}
{{- $own = dict
  "appgw.ingress.kubernetes.io/request-timeout" (.Values.policies.requestSeconds | toString)
  "appgw.ingress.kubernetes.io/connection-draining" "true"
  "appgw.ingress.kubernetes.io/connection-draining-timeout" (include "gateway.graceSeconds" .)
  "appgw.ingress.kubernetes.io/health-probe-path" "/readyz"
  "appgw.ingress.kubernetes.io/health-probe-port" (.Values.admin.port | toString)
  "appgw.ingress.kubernetes.io/health-probe-status-codes" "200"
  "appgw.ingress.kubernetes.io/backend-protocol" (ternary "https" "http" .Values.tls.enabled)
-}}
{{- else if eq .Values.ingress.controller "gke" -}}
{{- $own = dict "kubernetes.io/ingress.class" "gce" -}}
{{- end -}}
{{- $all := merge (deepCopy .Values.ingress.annotations) $own -}}
{{- if $all }}{{ toYaml $all }}{{ end -}}
{{- end -}}
