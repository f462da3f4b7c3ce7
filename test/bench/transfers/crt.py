"""Moves one file by the Common Runtime, which version 2 of the AWS CLI uses, too: crt.py up|down FILE BUCKET KEY"""
import os
import sys

import botocore.session
from s3transfer.crt import (
    BotocoreCRTCredentialsWrapper,
    BotocoreCRTRequestSerializer,
    CRTTransferManager,
    create_s3_crt_client,
)

way, file, bucket, key = sys.argv[1:]
session = botocore.session.get_session()
region = os.environ['AWS_DEFAULT_REGION']
credentials = BotocoreCRTCredentialsWrapper(session.get_credentials()).to_crt_credentials_provider()
client = create_s3_crt_client(region, crt_credentials_provider=credentials, use_ssl=False)
settings = {'endpoint_url': os.environ['AWS_ENDPOINT_URL'], 'region_name': region}
with CRTTransferManager(client, BotocoreCRTRequestSerializer(session, settings)) as manager:
    move = manager.upload(file, bucket, key) if way == 'up' else manager.download(bucket, key, file)
    move.result()
